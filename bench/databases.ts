import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPostgres, startCluster } from '../test/postgres-cluster.ts';
import { familyMicros, type ProcessorClock } from './processor-time.ts';
import type { Line } from './table.ts';

/** Where the service keeps its data in a row. */
export interface BenchDatabase {
  /** Of the service; none for the embedded database. */
  readonly settings: Readonly<Record<string, string>>;
  /** Of its processes; the embedded database has none of its own. */
  readonly micros?: ProcessorClock;
}

export const EMBEDDED: BenchDatabase = { settings: {} };

/**
 * Lines of a row on a PostgreSQL that is started for it, empty, with PostgreSQL's own settings. Where none is installed, one
 * line says so.
 *
 * @param work what the row does
 */
export async function onPostgres(
  work: string,
  row: (database: BenchDatabase) => Promise<Line[]>,
  isInstalled = findPostgres() !== undefined,
): Promise<Line[]> {
  if (!isInstalled)
    return [{ work: `PostgreSQL: ${work}`, ours: 'not measured: PostgreSQL is not installed', bare: '' }];
  const cluster = await startCluster({
    settings: [],
    makeFolder: () => mkdtemp(join(tmpdir(), 'doorman-bench-')),
  });
  try {
    const pid = await cluster.pid();
    const lines = await row({ settings: { DATABASE_URL: cluster.url }, micros: () => familyMicros(pid) });
    return lines.map((line) => ({ ...line, work: `PostgreSQL: ${line.work}` }));
  } finally {
    await cluster.stop();
  }
}
