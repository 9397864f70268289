// Makes the package of the kit that is published: compiled, with declarations and a package.json of its own.
//   npm run build -w client            into client/dist
//   node scripts/client-package.mjs FOLDER
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const client = join(root, 'client');
const folder = resolve(process.argv[2] ?? join(client, 'dist'));

rmSync(folder, { recursive: true, force: true });
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const { status } = spawnSync(process.execPath, [tsc, '-p', client, '--outDir', folder], { stdio: 'inherit' });
if (status !== 0) process.exit(1);

const {
  private: _private,
  scripts: _scripts,
  exports,
  ...rest
} = JSON.parse(readFileSync(join(client, 'package.json'), 'utf8'));
const entries = Object.entries(exports).map(([entry, source]) => {
  const built = source.replace('./src/', './').replace(/\.ts$/, '');
  return [entry, { types: `${built}.d.ts`, default: `${built}.js` }];
});
writeFileSync(
  join(folder, 'package.json'),
  `${JSON.stringify({ ...rest, exports: Object.fromEntries(entries) }, null, 2)}\n`,
);
copyFileSync(join(client, 'README.md'), join(folder, 'README.md'));
copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
