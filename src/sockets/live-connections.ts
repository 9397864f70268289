import type { MirroredUsers } from '../presence/mirrored-users.ts';
import { closeCodes } from './close-codes.ts';
import type { Connection } from './connection.ts';
import type { SocketSession } from './socket-session.ts';

/** Our choice, as the interface is silent (docs/protocol.md, Limits): more devices than a user has at once. */
const MAX_PER_USER = 10;
const MAX_PENDING_PER_ADDRESS = 20;

type ConnectionsElsewhere = Pick<MirroredUsers, 'countOf' | 'hasOlder'>;

/** Where a connection comes from. */
interface Client {
  /** The key of its limits (`clientKey`). */
  readonly key: string;
  readonly address: string;
}

/**
 * The connections of this process: all that are not closed, those that have not sent `hello` by address, and the sessions
 * of the others by user and by session id. A connection that leaves stays in `all` until it is closed.
 */
export class LiveConnections {
  readonly all = new Set<Connection>();
  #opened = 0;
  readonly #elsewhere: ConnectionsElsewhere;
  readonly #ofUser = new Map<string, SocketSession[]>();
  readonly #ofSession = new Map<string, SocketSession[]>();
  /** The client of each connection without `hello`, and how many connections without it each address has. */
  readonly #pending = new Map<Connection, Client>();
  readonly #pendingOf = new Map<string, number>();

  constructor(elsewhere: ConnectionsElsewhere) {
    this.#elsewhere = elsewhere;
  }

  get counts(): { open: number; opened: number } {
    return { open: this.all.size, opened: this.#opened };
  }

  /** Whether the address has as many connections without `hello` as it may have. */
  hasTooManyPending(addressKey: string): boolean {
    return (this.#pendingOf.get(addressKey) ?? 0) >= MAX_PENDING_PER_ADDRESS;
  }

  /** Adds a connection that has not sent `hello`. */
  add(connection: Connection, client: Client): void {
    this.all.add(connection);
    this.#opened++;
    this.#pending.set(connection, client);
    this.#pendingOf.set(client.key, (this.#pendingOf.get(client.key) ?? 0) + 1);
  }

  /** The network address of a connection that has not sent `hello`; else ''. */
  addressOf(connection: Connection): string {
    return this.#pending.get(connection)?.address ?? '';
  }

  /** Adds the session that `hello` opened on the connection. Closes the user's oldest connection if they have too many. */
  register(connection: Connection, session: SocketSession): void {
    this.#removePending(connection);
    append(this.#ofSession, session.sessionId, session);
    append(this.#ofUser, session.userId, session);
    this.closeExcess(session.userId);
  }

  /**
   * Closes the user's oldest connections as long as they have too many on all nodes together. The node that has the oldest one
   * closes it; what the nodes know of each other lags a little, so two may close one each.
   */
  closeExcess(userId: string): void {
    for (const session of this.ofUser(userId)) {
      const count = this.#ofUser.get(userId)?.length ?? 0;
      if (count + this.#elsewhere.countOf(userId) <= MAX_PER_USER) return;
      if (this.#elsewhere.hasOlder(userId, session.openedAt)) return;
      session.transport.close(closeCodes.tooMany, 'too_many_sockets');
    }
  }

  /** When the user's oldest connection was opened, in epoch milliseconds; 0 if they have none. */
  oldestOf(userId: string): number {
    return this.#ofUser.get(userId)?.[0]?.openedAt ?? 0;
  }

  /** The user's sessions that have a connection; a session with several connections is listed once for each. */
  sessionsOf(userId: string): string[] {
    return this.ofUser(userId).map(({ sessionId }) => sessionId);
  }

  /** Undoes `add` and `register`, except in `all`. */
  remove(connection: Connection): void {
    this.#removePending(connection);
    const { session } = connection;
    if (!session) return;
    withdraw(this.#ofUser, session.userId, session);
    withdraw(this.#ofSession, session.sessionId, session);
  }

  /** A copy, so that connections may be closed during a loop over it. */
  ofSession(sessionId: string): SocketSession[] {
    return [...(this.#ofSession.get(sessionId) ?? [])];
  }

  /** A copy, for the same reason. */
  ofUser(userId: string): SocketSession[] {
    return [...(this.#ofUser.get(userId) ?? [])];
  }

  /** Each session that has a connection, once. */
  sessions(): { userId: string; sessionId: string }[] {
    return [...this.#ofSession].map(([sessionId, [first]]) => ({ sessionId, userId: first?.userId ?? '' }));
  }

  #removePending(connection: Connection): void {
    const client = this.#pending.get(connection);
    if (!client) return;
    this.#pending.delete(connection);
    const count = this.#pendingOf.get(client.key) ?? 0;
    if (count > 1) this.#pendingOf.set(client.key, count - 1);
    else this.#pendingOf.delete(client.key);
  }
}

function append(groups: Map<string, SocketSession[]>, key: string, session: SocketSession): void {
  const group = groups.get(key);
  if (group) group.push(session);
  else groups.set(key, [session]);
}

function withdraw(groups: Map<string, SocketSession[]>, key: string, session: SocketSession): void {
  const group = groups.get(key);
  if (!group) return;
  if (group.length > 1) group.splice(group.indexOf(session), 1);
  else groups.delete(key);
}
