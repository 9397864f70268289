import { closeCodes } from './close-codes.ts';
import type { Connection } from './connection.ts';
import type { SocketSession } from './socket-session.ts';

/** Interface silent, our choice (docs/protocol.md, Limits): more devices than a user has at once. */
const MAX_OF_USER = 10;
const MAX_NAMELESS_OF_ADDRESS = 20;

/**
 * The connections of this process: all that are not closed yet, and the sessions of those that said `hello` by user and by
 * session. One that leaves is gone from these at once, though it stays among all until it is closed.
 */
export class LiveConnections {
  readonly all = new Set<Connection>();
  readonly #ofUser = new Map<string, SocketSession[]>();
  readonly #ofSession = new Map<string, SocketSession[]>();
  /** The address of each connection that has not said `hello`, and how many each address has. */
  readonly #addressOf = new Map<Connection, string>();
  readonly #namelessOf = new Map<string, number>();

  /** Whether an address has as many connections without `hello` as it may have. */
  isFull(addressKey: string): boolean {
    return (this.#namelessOf.get(addressKey) ?? 0) >= MAX_NAMELESS_OF_ADDRESS;
  }

  /** Adds a connection that has not said `hello` yet. */
  add(connection: Connection, addressKey: string): void {
    this.all.add(connection);
    this.#addressOf.set(connection, addressKey);
    this.#namelessOf.set(addressKey, (this.#namelessOf.get(addressKey) ?? 0) + 1);
  }

  /** Adds the session that `hello` opened on the connection. Closes the user's oldest connection if they have too many. */
  register(connection: Connection, session: SocketSession): void {
    this.#forgetNameless(connection);
    append(this.#ofSession, session.sessionId, session);
    const own = append(this.#ofUser, session.userId, session);
    if (own.length > MAX_OF_USER) own[0]?.transport.close(closeCodes.tooMany, 'too_many_sockets');
  }

  /** Undoes `add` and `register`, but for `all`. */
  remove(connection: Connection): void {
    this.#forgetNameless(connection);
    const { session } = connection;
    if (!session) return;
    withdraw(this.#ofUser, session.userId, session);
    withdraw(this.#ofSession, session.sessionId, session);
  }

  /** A copy, so that connections may be closed while it is walked. */
  ofSession(sessionId: string): SocketSession[] {
    return [...(this.#ofSession.get(sessionId) ?? [])];
  }

  /** A copy, likewise. */
  ofUser(userId: string): SocketSession[] {
    return [...(this.#ofUser.get(userId) ?? [])];
  }

  /** Every session that has a connection here, and whose it is. */
  sessions(): { userId: string; sessionId: string }[] {
    return [...this.#ofSession].map(([sessionId, [first]]) => ({ sessionId, userId: first?.userId ?? '' }));
  }

  #forgetNameless(connection: Connection): void {
    const addressKey = this.#addressOf.get(connection);
    if (addressKey === undefined) return;
    this.#addressOf.delete(connection);
    const count = this.#namelessOf.get(addressKey) ?? 0;
    if (count > 1) this.#namelessOf.set(addressKey, count - 1);
    else this.#namelessOf.delete(addressKey);
  }
}

function append(groups: Map<string, SocketSession[]>, key: string, session: SocketSession): SocketSession[] {
  const group = groups.get(key);
  if (!group) {
    const first = [session];
    groups.set(key, first);
    return first;
  }
  group.push(session);
  return group;
}

function withdraw(groups: Map<string, SocketSession[]>, key: string, session: SocketSession): void {
  const group = groups.get(key);
  if (!group) return;
  if (group.length > 1) group.splice(group.indexOf(session), 1);
  else groups.delete(key);
}
