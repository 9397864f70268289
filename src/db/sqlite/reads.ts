import { SqliteConnection } from './connection.ts';

/**
 * The connection for reads outside transactions. Those of one turn of the event loop share a read transaction: locking and unlocking
 * the log for each of them costs more than most queries (measured: docs/performance.md). It ends where a write of this process is
 * committed, so that every read sees all writes that were answered before.
 */
export function openReads(file: string) {
  const connection = new SqliteConnection(file, { readOnly: true });
  const begin = connection.raw.prepare('begin');
  const rollback = connection.raw.prepare('rollback');
  let isOpen = false;

  /** The next read sees what is committed by then. */
  function end(): void {
    if (!isOpen) return;
    isOpen = false;
    // A failed read may have ended it. A commit would fail after a read of a damaged page.
    if (connection.raw.isTransaction) rollback.run();
  }

  return {
    /** For one statement, at once. */
    use(): SqliteConnection {
      if (!isOpen) {
        begin.run();
        isOpen = true;
        setImmediate(end);
      }
      return connection;
    },
    end,
    close(): void {
      end();
      connection.close();
    },
  };
}
