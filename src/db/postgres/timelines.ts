import type { DatabaseLog } from '../db.ts';
import type { PostgresConnection } from './connection.ts';
import { ConnectionLost, isRefusal, NoAnswer } from './errors.ts';

/** Called with the first connection of another timeline, before it is used for anything else. */
type OnOther = (connection: PostgresConnection, timeline: string) => Promise<void>;

/**
 * Lets connections be used only while all are of one timeline of PostgreSQL, whose number changes with each promotion of a standby.
 * A connection of another timeline waits, with all that come after it, until it was decided what the promoted server lacks.
 */
export class Timelines {
  #current: string | undefined;
  #onOther: OnOther | undefined;
  #deciding: Promise<void> | undefined;
  #refusal: Error | undefined;

  /**
   * @param onOther while it runs, no connection is let in; when it rejects, the next connection is a first one again
   * @returns the timeline so far; undefined where PostgreSQL does not tell it
   */
  watch(onOther: OnOther, log: DatabaseLog | undefined): string | undefined {
    this.#onOther = onOther;
    if (this.#refusal)
      log?.warn(
        { err: this.#refusal },
        'PostgreSQL does not tell its timeline, so a failover that loses commits is not noticed: run `restored` after one',
      );
    return this.#current;
  }

  /** @throws {Error} of which `isUnavailable` is true for a standby; what `onOther` throws */
  async admit(connection: PostgresConnection): Promise<void> {
    const timeline = await this.#read(connection);
    if (timeline === undefined) return;
    while (this.#deciding) await this.#deciding;
    this.#current ??= timeline;
    if (timeline === this.#current) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#deciding = promise;
    try {
      await this.#onOther?.(connection, timeline);
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
