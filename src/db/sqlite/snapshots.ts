import type { Queries } from '../db.ts';
import { SqliteConnection } from './connection.ts';
import { SqliteTx } from './units.ts';

/**
 * Consistent reads on a connection of their own: a read transaction on the shared reader would hide writes from other readers
 * that were already answered. They run one after the other, each as long as its body runs.
 */
export function openSnapshots(file: string) {
  let connection: SqliteConnection | undefined;
  let last: Promise<unknown> = Promise.resolve();

  async function run<T>(body: (snapshot: Queries) => Promise<T>): Promise<T> {
    connection ??= new SqliteConnection(file, { readOnly: true });
    const { raw } = connection;
    raw.exec('begin');
    const tx = new SqliteTx(connection);
    try {
      return await body(tx);
    } finally {
      tx.end();
      // A failed read may have ended it.
      if (raw.isTransaction) raw.exec('rollback');
    }
  }

  return {
    read<T>(body: (snapshot: Queries) => Promise<T>): Promise<T> {
      const result = last.then(() => run(body));
      last = result.catch(() => {});
      return result;
    },
    /** Waits for the queued snapshots. */
    async close(): Promise<void> {
      await last;
      connection?.close();
    },
  };
}
