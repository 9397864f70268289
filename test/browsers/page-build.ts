import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { endingsOf, type Scope } from './endings.ts';

const web = fileURLToPath(new URL('../../web', import.meta.url));

/** The page that the setup built. */
export const BUILT_PAGE = join(web, 'dist');

/**
 * Builds the page as the setup does, into a folder that is removed with `scope`.
 *
 * @param main what runs in place of `web/src/app/main.tsx`, for tests of the worker alone: the document, its policy, the files
 *   and the worker are those of the page
 */
export async function buildPage(scope: Scope, main?: string): Promise<string> {
  const folder = await makeFolder(scope);
  const load = (id: string) => (id.endsWith('/web/src/app/main.tsx') ? main : undefined);
  await build({
    root: web,
    configFile: join(web, 'vite.config.ts'),
    logLevel: 'warn',
    plugins: [{ name: 'main', enforce: 'pre', load }],
    build: { outDir: folder, emptyOutDir: true, reportCompressedSize: false },
  });
  return folder;
}

/** A build in a folder of its own, from which a service serves it while others are deployed over it. */
export async function deployBuild(scope: Scope, built: string): Promise<string> {
  const folder = await makeFolder(scope);
  await deployOver(folder, built);
  return folder;
}

/** Replaces the build in the folder, as a new version does. */
export async function deployOver(folder: string, built: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
  await cp(built, folder, { recursive: true });
}

async function makeFolder(scope: Scope): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'doorman-page-'));
  endingsOf(scope).defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
