// Builds the page into web/dist, with compressed forms beside its files. Imports nothing that has to be installed until it
// builds, so that setup.mjs can ask on any Node >= 20 whether that was done.
//   node scripts/page-build.mjs
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { copyFile, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { dist, hashSources, root } from './sources.mjs';

/** Describes a build: what it was made from, and its assets. */
const STAMP = '.build.json';

/** All that the build depends on: the page, the kit, the packages, and these scripts. */
const SOURCES = [
  ...['web', 'client', 'src/accounts/common-passwords.txt', 'package-lock.json'],
  ...['scripts/page-build.mjs', 'scripts/sources.mjs'],
];

/** A smaller file fits into one packet anyway. */
const LEAST_COMPRESSED_BYTES = 1024;
const COMPRESSED = /\.(?:css|html|js|json|svg|txt|webmanifest)$/;

/** Whether `web/dist` was built from the current sources. */
export function isPageBuilt() {
  return readStamp()?.madeFrom === hashSources(SOURCES);
}

function readStamp() {
  const stamp = join(dist, STAMP);
  return existsSync(stamp) ? JSON.parse(readFileSync(stamp, 'utf8')) : undefined;
}

/** The former page is served until the build is complete, and stays if the build fails. */
async function buildPage() {
  const made = join(root, 'web', `.dist-${process.pid}`);
  try {
    const madeFrom = hashSources(SOURCES);
    // Otherwise React is built for development wherever the environment says so.
    process.env.NODE_ENV = 'production';
    const { build } = await import('vite');
    await build({
      configFile: join(root, 'web', 'vite.config.ts'),
      logLevel: 'warn',
      // On a busy machine the build would warn of slow plugins.
      build: { outDir: made, emptyOutDir: true, rolldownOptions: { checks: { bundlerTimings: false } } },
    });
    await compress(made);
    const assets = readdirSync(join(made, 'assets'));
    await writeFile(join(made, STAMP), JSON.stringify({ madeFrom, assets }));
    await keepFormerAssets(made, assets);
    await rm(dist, { recursive: true, force: true });
    await rename(made, dist);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

/** A page that was opened before the build may still request assets that it has not loaded yet. */
async function keepFormerAssets(made, assets) {
  const former = (readStamp()?.assets ?? []).filter((name) => !assets.includes(name));
  await Promise.all(
    former.map((name) =>
      copyFile(join(dist, 'assets', name), join(made, 'assets', name)).catch(ignoreMissing),
    ),
  );
}

function ignoreMissing(error) {
  if (error.code !== 'ENOENT') throw error;
}

async function compress(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  await Promise.all(
    files
      .filter((file) => file.isFile() && COMPRESSED.test(file.name))
      .map(async (file) => {
        const path = join(file.parentPath, file.name);
        const bytes = await readFile(path);
        if (bytes.length < LEAST_COMPRESSED_BYTES) return;
        const params = {
          [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        };
        await Promise.all([
          promisify(brotliCompress)(bytes, { params }).then((small) => writeFile(`${path}.br`, small)),
          promisify(gzip)(bytes, { level: 9 }).then((small) => writeFile(`${path}.gz`, small)),
        ]);
      }),
  );
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await buildPage();
