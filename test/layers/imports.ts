import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** One import of a file of ours by another: value, type or dynamic. Paths from the repository's root. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
}

const ROOT = join(import.meta.dirname, '../..');
const IMPORT =
  /(?:^|\n)\s*(?:import|export)\b[^;'"]*?['"](\.{1,2}\/[^'"]+)['"]|\bimport\(\s*['"](\.{1,2}\/[^'"]+)['"]/g;

/** The files of a folder that are no tests. */
export function filesOf(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
    .map((file) => join(folder, file));
}

/** All imports among the files of a folder, without those of its tests. */
export function arrowsOf(folder: string): Arrow[] {
  return filesOf(folder).flatMap((from) => {
    const text = readFileSync(join(ROOT, from), 'utf8');
    return [...text.matchAll(IMPORT)].map((match) => ({
      from,
      to: relative(ROOT, join(ROOT, dirname(from), match[1] ?? match[2] ?? '')),
    }));
  });
}

/**
 * Arrows that do not point to a lower layer.
 *
 * @param layers from the lowest; entries of one layer do not import each other
 * @param layerOf the entry that a file belongs to, `undefined` for one of another folder
 */
export function upwards(
  arrows: readonly Arrow[],
  layers: readonly (readonly string[])[],
  layerOf: (file: string) => string | undefined,
): string[] {
  const height = new Map(layers.flatMap((entries, i) => entries.map((entry) => [entry, i] as const)));
  const wrong: string[] = [];
  for (const { from, to } of arrows) {
    const [upper, lower] = [layerOf(from), layerOf(to)];
    if (upper === undefined || lower === undefined || upper === lower) continue;
    const [above, below] = [height.get(upper), height.get(lower)];
    if (above === undefined || below === undefined) throw new Error(`no layer for ${from} -> ${to}`);
    if (below >= above) wrong.push(`${from} -> ${to}`);
  }
  return wrong.sort();
}

/** Files that import each other in a ring, types included; each ring once, from its first file on. */
export function ringsOf(arrows: readonly Arrow[]): string[] {
  const next = Map.groupBy(arrows, ({ from }) => from);
  const done = new Set<string>();
  const rings = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) {
      const ring = path.slice(start);
      const first = ring.indexOf([...ring].sort()[0] ?? '');
      rings.add([...ring.slice(first), ...ring.slice(0, first)].join(' -> '));
      return;
    }
    if (done.has(file)) return;
    for (const { to } of next.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  };
  for (const file of next.keys()) visit(file, []);
  return [...rings].sort();
}
