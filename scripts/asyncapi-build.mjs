// Writes the description of the socket beside the page, where the service serves it as /asyncapi.yaml. Imports nothing that has
// to be installed until it does so, so that setup.mjs can ask on any Node >= 20 whether that was done.
//   node scripts/asyncapi-build.mjs
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dist, hashSources } from './sources.mjs';

const file = join(dist, 'asyncapi.yaml');
const SOURCES = [
  ...['src', 'docs/protocol.md', 'package.json', 'package-lock.json'],
  ...['scripts/asyncapi-build.mjs', 'scripts/asyncapi.ts', 'scripts/asyncapi-messages.ts'],
  ...['scripts/protocol-examples.ts', 'scripts/sources.mjs'],
];

/** Whether `web/dist/asyncapi.yaml` was made from the current sources, whose hash is in its first line. */
export function isSocketDescribed() {
  return existsSync(file) && readFileSync(file, 'utf8').startsWith(firstLine());
}

function firstLine() {
  return `# Made by scripts/asyncapi.ts from ${hashSources(SOURCES)}\n`;
}

async function writeDescription() {
  const { describeSocket } = await import('./asyncapi.ts');
  mkdirSync(dist, { recursive: true });
  writeFileSync(file, firstLine() + describeSocket());
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  await writeDescription();
