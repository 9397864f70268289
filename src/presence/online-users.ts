/** Connections of a user on all nodes together: our choice, as the interface is silent (docs/protocol.md, Limits). */
const MAX_PER_USER = 10;

/** A connection that said `hello`. */
export interface PresentConnection {
  readonly sessionId: string;
  /** When it said `hello`, in epoch milliseconds. */
  readonly openedAt: number;
  /** Its device was used within the last minute (architecture 7). */
  readonly isActive: boolean;
  /** Its device is visible and active (architecture 8). */
  readonly isAttentive: boolean;
}

/** A connection to this process. */
export interface ConnectionHere extends PresentConnection {
  writeTyping(from: string): void;
  /** Closes it, as the user has too many newer ones. */
  displace(): void;
}

/** A connection of another node, as that node reported it. */
interface ConnectionElsewhere extends PresentConnection {
  readonly node: string;
}

interface Disconnect {
  /** None of the user's connections was active before. */
  readonly wasIdle: boolean;
  /** The user left on purpose, by `bye`. */
  readonly saidGoodbye: boolean;
}

/**
 * A user went online or offline, or became idle or active.
 *
 * @param disconnect only of a user who went offline
 */
type Listener = (userId: string, online: boolean, disconnect: Disconnect | undefined) => void;

/**
 * `first`, `last`: the user's only connection to this process was opened, or has ended; `other`: any other change of their
 * connections to it.
 *
 * @param at epoch milliseconds; every listener gets the same, so that all nodes say the same of when a user was last online
 * @param saidGoodbye whether the last one left by `bye`
 */
type HereListener = (
  userId: string,
  change: 'first' | 'last' | 'other',
  at: number,
  saidGoodbye: boolean,
) => void;

/**
 * The users who are online: those with at least one connection to any node (interface 3.2). A user is idle if none of their connections is
 * active. There is no grace here: the HTTP answers say 0 as soon as the last connection is closed. What it holds of other nodes
 * may be outdated by the time that a message takes, and by 15 s for a node that died; one server has nothing of it.
 */
export class OnlineUsers {
  /** The connections to this process, by user. */
  readonly #here = new Map<string, ConnectionHere[]>();
  readonly #elsewhere = new Map<string, readonly ConnectionElsewhere[]>();
  readonly #listeners = new Set<Listener>();
  readonly #hereListeners = new Set<HereListener>();
  readonly #now: () => number;
  #hearsOthers = () => true;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Closes the user's oldest connection if they have too many. */
  add(userId: string, connection: ConnectionHere): void {
    const connections = this.#here.get(userId);
    this.#change(userId, false, () => {
      if (connections) connections.push(connection);
      else this.#here.set(userId, [connection]);
    });
    this.#changedHere(userId, connections ? 'other' : 'first');
    this.#displaceOldest(userId);
  }

  /** @param saidGoodbye whether it left by `bye` */
  remove(userId: string, connection: ConnectionHere, saidGoodbye = false): void {
    const connections = this.#here.get(userId);
    const at = connections?.indexOf(connection) ?? -1;
    if (!connections || at < 0) return;
    const isLast = connections.length === 1;
    this.#change(userId, saidGoodbye, () => {
      if (isLast) this.#here.delete(userId);
      else connections.splice(at, 1);
    });
    this.#changedHere(userId, isLast ? 'last' : 'other', saidGoodbye);
  }

  /** @param change makes the connection active, attentive or neither */
  update(
    userId: string,
    connection: Pick<PresentConnection, 'isActive' | 'isAttentive'>,
    change: () => void,
  ): void {
    const { isActive, isAttentive } = connection;
    this.#change(userId, false, change);
    if (connection.isActive !== isActive || connection.isAttentive !== isAttentive)
      this.#changedHere(userId, 'other');
  }

  /** The user has these connections on the node, and no others. */
  setElsewhere(
    node: string,
    userId: string,
    connections: readonly PresentConnection[],
    saidGoodbye = false,
  ): void {
    const before = this.elsewhere(userId);
    const others = before.filter((connection) => connection.node !== node);
    // `push` would take memory for further ones.
    const after = others.concat(connections.map((connection) => ({ ...connection, node })));
    this.#change(userId, saidGoodbye, () => {
      if (after.length > 0) this.#elsewhere.set(userId, after);
      else this.#elsewhere.delete(userId);
    });
    if (after.length > before.length) this.#displaceOldest(userId);
  }

  /** The user's connections to this process, the oldest first. */
  here(userId: string): readonly ConnectionHere[] {
    return this.#here.get(userId) ?? [];
  }

  elsewhere(userId: string): readonly ConnectionElsewhere[] {
    return this.#elsewhere.get(userId) ?? [];
  }

  isOnline(userId: string): boolean {
    return this.#here.has(userId) || this.#elsewhere.has(userId);
  }

  isIdle(userId: string): boolean {
    return this.isOnline(userId) && !this.#everywhere(userId).some(({ isActive }) => isActive);
  }

  /** Whether a device of the user is attentive on any node, or may be on one that this node does not hear. */
  mayBeAttentive(userId: string): boolean {
    return !this.#hearsOthers() || this.#everywhere(userId).some(({ isAttentive }) => isAttentive);
  }

  /** @param hearsOthers whether messages of the other nodes arrive */
  hearOthersWhile(hearsOthers: () => boolean): void {
    this.#hearsOthers = hearsOthers;
  }

  /** The sessions of the user that have a connection to any node; one with several is named as often. */
  sessionsOf(userId: string): string[] {
    return this.#everywhere(userId).map(({ sessionId }) => sessionId);
  }

  /** The users with a connection to this process. */
  idsHere(): string[] {
    return [...this.#here.keys()];
  }

  /** The users with a connection to that node. */
  idsOn(node: string): string[] {
    const isOnNode = (connection: ConnectionElsewhere) => connection.node === node;
    return [...this.#elsewhere].filter(([, connections]) => connections.some(isOnNode)).map(([id]) => id);
  }

  onlineIds(): string[] {
    const ids = this.idsHere();
    for (const id of this.#elsewhere.keys()) if (!this.#here.has(id)) ids.push(id);
    return ids;
  }

  /** Called before the call that caused the change returns. */
  onChange(listener: Listener): void {
    this.#listeners.add(listener);
  }

  /** Called for each change of a user's connections to this process. */
  onHere(listener: HereListener): void {
    this.#hereListeners.add(listener);
  }

  /**
   * Closes the user's oldest connections as long as they have too many on all nodes together. The node that has the oldest one
   * closes it, of two of the same moment that with the lesser session; what the nodes know of each other lags a little, so two may
   * close one each.
   */
  #displaceOldest(userId: string): void {
    for (const connection of [...this.here(userId)]) {
      const elsewhere = this.elsewhere(userId);
      if (this.here(userId).length + elsewhere.length <= MAX_PER_USER) return;
      if (elsewhere.some((other) => isOlder(other, connection))) return;
      connection.displace();
    }
  }

  #everywhere(userId: string): PresentConnection[] {
    return [...this.here(userId), ...this.elsewhere(userId)];
  }

  #change(userId: string, saidGoodbye: boolean, change: () => void): void {
    const [wasOnline, wasIdle] = [this.isOnline(userId), this.isIdle(userId)];
    change();
    const isOnline = this.isOnline(userId);
    if (isOnline === wasOnline && this.isIdle(userId) === wasIdle) return;
    const disconnect = isOnline ? undefined : { wasIdle, saidGoodbye };
    for (const listener of this.#listeners) listener(userId, isOnline, disconnect);
  }

  #changedHere(userId: string, change: 'first' | 'last' | 'other', saidGoodbye = false): void {
    const at = this.#now();
    for (const listener of this.#hereListeners) listener(userId, change, at, saidGoodbye);
  }
}

function isOlder(a: PresentConnection, b: PresentConnection): boolean {
  return a.openedAt < b.openedAt || (a.openedAt === b.openedAt && a.sessionId < b.sessionId);
}
