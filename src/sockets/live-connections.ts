import { closeCodes } from './close-codes.ts';
import type { Connection } from './connection.ts';

/** Interface silent, our choice (docs/protocol.md, Limits): more devices than a user has at once. */
const MAX_OF_USER = 10;
const MAX_NAMELESS_OF_ADDRESS = 20;

/**
 * The connections of this process: all that are not closed yet, and those that said `hello` by user and session. One
 * that leaves is gone from both at once, though it stays among all until it is closed.
 */
export class LiveConnections {
  readonly all = new Set<Connection>();
  readonly #ofUser = new Map<string, Connection[]>();
  readonly #ofSession = new Map<string, Connection[]>();
  readonly #namelessOf = new Map<string, number>();

  /** Whether an address has as many connections without `hello` as it may have. */
  isFull(addressKey: string): boolean {
    return (this.#namelessOf.get(addressKey) ?? 0) >= MAX_NAMELESS_OF_ADDRESS;
  }

  /** Adds a connection that has not said `hello` yet. */
  add(connection: Connection, addressKey: string): void {
    this.all.add(connection);
    connection.addressKey = addressKey;
    this.#namelessOf.set(addressKey, (this.#namelessOf.get(addressKey) ?? 0) + 1);
  }

  /** From now on the connection is this user's, by this session. The oldest of too many gives way. */
  name(connection: Connection, userId: string, sessionId: string): void {
    this.#forgetNameless(connection);
    connection.userId = userId;
    connection.sessionId = sessionId;
    append(this.#ofSession, sessionId, connection);
    const own = append(this.#ofUser, userId, connection);
    if (own.length > MAX_OF_USER) own[0]?.close(closeCodes.tooMany, 'too_many_sockets');
  }

  /** Undoes `add` and `name`, but for `all`. */
  remove(connection: Connection): void {
    this.#forgetNameless(connection);
    if (connection.userId === '') return;
    withdraw(this.#ofUser, connection.userId, connection);
    withdraw(this.#ofSession, connection.sessionId, connection);
  }

  /** A copy, so that it may be walked while they are closed. */
  ofSession(sessionId: string): Connection[] {
    return [...(this.#ofSession.get(sessionId) ?? [])];
  }

  /** A copy, likewise. */
  ofUser(userId: string): Connection[] {
    return [...(this.#ofUser.get(userId) ?? [])];
  }

  /** The sessions of all connections that said `hello`. */
  *named(): Generator<Connection> {
    for (const connections of this.#ofUser.values()) yield* connections;
  }

  /** Every session that has a connection here, and whose it is. */
  claims(): { userId: string; sessionId: string }[] {
    return [...this.#ofSession].map(([sessionId, [first]]) => ({ sessionId, userId: first?.userId ?? '' }));
  }

  #forgetNameless(connection: Connection): void {
    const { addressKey } = connection;
    if (addressKey === '') return;
    connection.addressKey = '';
    const count = this.#namelessOf.get(addressKey) ?? 0;
    if (count > 1) this.#namelessOf.set(addressKey, count - 1);
    else this.#namelessOf.delete(addressKey);
  }
}

function append(groups: Map<string, Connection[]>, key: string, connection: Connection): Connection[] {
  const group = groups.get(key);
  if (!group) {
    const first = [connection];
    groups.set(key, first);
    return first;
  }
  group.push(connection);
  return group;
}

function withdraw(groups: Map<string, Connection[]>, key: string, connection: Connection): void {
  const group = groups.get(key);
  if (!group) return;
  if (group.length > 1) group.splice(group.indexOf(connection), 1);
  else groups.delete(key);
}
