import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const MANIFEST = join(import.meta.dirname, 'packages');
/**
 * Where the packages of `packages/package.json` are. They are as large as a quarter of all others, and one needs an older
 * TypeScript, so they are installed apart from those, for the tests alone.
 */
export const TOOLS = join(import.meta.dirname, '../../node_modules/.cache/description-tools');
/** The lock file by which they were installed, copied at the end. */
const INSTALLED = join(TOOLS, 'installed.json');

export function areToolsInstalled(): boolean {
  const lock = readFileSync(join(MANIFEST, 'package-lock.json'), 'utf8');
  return existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === lock;
}

/** Runs the npm that runs this process, or the one in the path. If that fails, the tests are skipped. */
export function installTools(): void {
  mkdirSync(TOOLS, { recursive: true });
  for (const file of ['package.json', 'package-lock.json'])
    copyFileSync(join(MANIFEST, file), join(TOOLS, file));
  const { npm_execpath: npm, npm_node_execpath: node } = process.env;
  const [command, first] = npm && node ? [node, [npm]] : ['npm', []];
  const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync(command, [...first, ...options], { cwd: TOOLS, stdio: ['ignore', 2, 2] });
  if (status === 0) copyFileSync(join(TOOLS, 'package-lock.json'), INSTALLED);
}

/** Loads a package. Its types are not at hand where it is not installed. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export async function loadTool(name: string): Promise<any> {
  return import(pathToFileURL(createRequire(join(TOOLS, 'package.json')).resolve(name)).href);
}
