import type { DatabaseLog } from '../db.ts';
import type { PostgresConnection } from './connection.ts';
import { ConnectionLost, isRefusal, NoAnswer } from './errors.ts';

/** Called with the first connection of a later timeline, before it is used for anything else. */
type OnLater = (connection: PostgresConnection, timeline: string) => Promise<void>;

/**
 * Lets connections be used only while all are of one timeline of PostgreSQL, whose number rises with each promotion of a standby.
 * A connection of a later timeline waits, with all that come after it, until it was decided what the promoted server lacks. One of an
 * earlier timeline is refused: its server was replaced.
 */
export class Timelines {
  #current: string | undefined;
  /** The one that was seen last: later than the current one until it was decided what its server lacks. */
  #newest: string | undefined;
  #onLater: OnLater | undefined;
  #deciding: Promise<void> | undefined;
  #refusal: Error | undefined;

  /**
   * @param onLater while it runs, no connection is let in; when it rejects, the next connection is a first one again
   * @returns the timeline so far; undefined where PostgreSQL does not tell it
   */
  watch(onLater: OnLater, log: DatabaseLog | undefined): string | undefined {
    this.#onLater = onLater;
    if (this.#refusal)
      log?.warn(
        { err: this.#refusal },
        'PostgreSQL does not tell its timeline, so a failover that loses commits is not noticed: run `restored` after one',
      );
    return this.#current;
  }

  /** @throws {Error} of which `isUnavailable` is true for a standby and a server of an earlier timeline; what `onLater` throws */
  async admit(connection: PostgresConnection): Promise<void> {
    const timeline = await this.#read(connection);
    if (timeline === undefined) return;
    while (this.#deciding) await this.#deciding;
    this.#newest ??= timeline;
    this.#current ??= timeline;
    // Hexadecimal of a fixed length.
    if (timeline < this.#newest)
      throw new ConnectionLost(
        new NoAnswer(`the server is of the earlier timeline ${timeline}; ${this.#newest} has taken over`),
      );
    if (timeline === this.#current) return;
    this.#newest = timeline;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#deciding = promise;
    try {
      await this.#onLater?.(connection, timeline);
      this.#current = timeline;
    } finally {
      this.#deciding = undefined;
      resolve();
    }
  }

  /**
   * The name of a file of the write-ahead log begins with the timeline that the server writes. `pg_control_checkpoint()` still has the
   * earlier one until the first checkpoint after a promotion, which may take minutes.
   */
  async #read(connection: PostgresConnection): Promise<string | undefined> {
    try {
      const { rows } = await connection.query<{ timeline: string | null }>(
        'select case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline',
        [],
        { mayBeRefused: true },
      );
      const timeline = rows[0]?.timeline;
      if (timeline) return timeline;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#refusal = error;
      return undefined;
    }
    throw new ConnectionLost(new NoAnswer('the server is a standby'));
  }
}
