// Hashes the sources of a build, by which setup.mjs knows on any Node >= 20 whether the build is current.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const dist = join(root, 'web', 'dist');

export function hashSources(parts) {
  const hash = createHash('sha256');
  for (const part of parts)
    for (const path of filesUnder(part)) hash.update(`${path}\n`).update(readFileSync(join(root, path)));
  return hash.digest('hex');
}

/** The files below a path in a fixed order, without tests and build results. */
function filesUnder(path) {
  if (/\.test\.tsx?$/.test(path) || /\/(?:node_modules|dist|test|\.dist-\d+)$/.test(path)) return [];
  try {
    return readdirSync(join(root, path))
      .sort()
      .flatMap((name) => filesUnder(`${path}/${name}`));
  } catch (error) {
    if (error.code === 'ENOTDIR') return [path];
    throw error;
  }
}
