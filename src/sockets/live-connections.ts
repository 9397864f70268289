import { KeyCounts } from '../collections/key-counts.ts';
import type { Connection } from './connection.ts';
import type { SocketSession } from './socket-session.ts';

/** Our choice, as the interface is silent (docs/protocol.md, Limits). */
const MAX_PENDING_PER_ADDRESS = 20;

/** The connections of this process. One that leaves stays in `all` until it is closed. */
export class LiveConnections {
  readonly all = new Set<Connection>();
  #opened = 0;
  /** How many connections without `hello` each address has. */
  readonly #pendingOf = new KeyCounts();

  get counts(): { open: number; opened: number } {
    return { open: this.all.size, opened: this.#opened };
  }

  /** Whether the address has as many connections without `hello` as it may have. */
  hasTooManyPending(addressKey: string): boolean {
    return this.#pendingOf.get(addressKey) >= MAX_PENDING_PER_ADDRESS;
  }

  /** Adds a connection that has not sent `hello`. */
  add(connection: Connection): void {
    this.all.add(connection);
    this.#opened++;
    this.#pendingOf.add(connection.addressKey, 1);
  }

  /** The `hello` of a connection was accepted, or it has left. A repeat changes nothing. */
  settle(connection: Connection): void {
    if (connection.address === null) return;
    connection.address = null;
    this.#pendingOf.add(connection.addressKey, -1);
  }

  /** The sessions of the connections that have not left; one with several connections comes as often. */
  *sessions(): Generator<SocketSession, undefined> {
    for (const { hasLeft, session } of this.all) if (session && !hasLeft) yield session;
  }
}
