import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { WebSocketServer } from 'ws';
import type { AccountServices } from '../accounts/account-services.ts';
import { SESSION_TOUCH_MS } from '../accounts/sessions.ts';
import type { Clock } from '../clock.ts';
import type { Db } from '../db/db.ts';
import type { Events, ServiceEvent } from '../events/hints.ts';
import type { FrameTable } from '../frames/frame-kinds.ts';
import type { Caller } from '../http/authenticate.ts';
import type { TrustedNetworks } from '../http/client-address.ts';
import type { InboxServices } from '../inbox/inbox-services.ts';
import type { PresenceServices } from '../presence/presence-services.ts';
import type { PushServices } from '../push/push-services.ts';
import { findStart, type Start } from '../sync/start.ts';
import { closeCodes } from './close-codes.ts';
import { Connection, type Listener } from './connection.ts';
import { Dispatch } from './dispatch.ts';
import { connectionFrames, MAX_FRAME_BYTES } from './frames.ts';
import type { Hello } from './frames-in.ts';
import { awaitHello, lookAfter, payFrame, startHeartbeat } from './heartbeat.ts';
import { LiveConnections } from './live-connections.ts';
import { Pulse } from './pulse.ts';
import { type Ending, findEndings } from './session-endings.ts';
import { addressKeyOf, SUBPROTOCOL } from './upgrade.ts';

/** How exact the heartbeat's times are. */
const TURN_MS = 500;
/** Within which time the clients of a process that goes come back, so that they do not come all at once. */
const SPREAD_MS = 20_000;
/** How long a stop waits for what is under way, and for clients to answer the close. */
const DRAIN_MS = 3_000;

/** Options of the library; RFC 6455 leaves all of them open. */
const serverOptions = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: MAX_FRAME_BYTES,
  // A frame in a thousand pieces would take far more memory than its bytes.
  maxFragments: 64,
  maxBufferedChunks: 1024,
  // How long a client may take to answer a close before it is cut off.
  closeTimeout: DRAIN_MS,
  handleProtocols: (offered: Set<string>) => offered.has(SUBPROTOCOL) && SUBPROTOCOL,
  WebSocket: Connection,
};

/** What the sockets use of what a process keeps open. */
interface SocketServices {
  readonly accounts: Pick<AccountServices, 'authentication'>;
  readonly clock: Clock;
  readonly config: { readonly trustProxy: TrustedNetworks };
  readonly db: Db;
  readonly events: Events;
  readonly inbox: InboxServices;
  readonly lifecycle: { readonly draining: boolean };
  readonly log: Logger;
  readonly presence: Pick<PresenceServices, 'online' | 'watchers'>;
  readonly push: Pick<PushServices, 'attention'>;
}

/**
 * All connections of this process, from the upgrade to the close: who they are, that they live, and when they end.
 * What they say is answered by the kinds of frames that the rooms bring.
 */
export class Sockets implements AsyncDisposable, Listener {
  readonly #services: SocketServices;
  readonly #server = new WebSocketServer<typeof Connection>(serverOptions);
  readonly #live = new LiveConnections();
  readonly #dispatch: Dispatch;
  readonly #interval: Disposable;
  readonly #pulse: Pulse;
  #isDraining = false;
  #onLastClosed: () => void = () => {};
  /** Sessions may have ended without an event that names them. */
  #isDoubtful = false;
  #isAsking = false;
  #useMarkedAtMs: number;

  constructor(services: SocketServices, frames: FrameTable<Connection>) {
    this.#services = services;
    this.#useMarkedAtMs = services.clock.monotonicMs();
    const { accounts, clock, db, events, inbox } = services;
    const { epoch } = inbox;
    const own = connectionFrames({
      authentication: accounts.authentication,
      epoch,
      findStart: (userId, hello) => findStart(db, userId, epoch, hello),
      letIn: (connection, caller, hello, start) => this.#letIn(connection, caller, hello, start),
      serve: (connection) => this.#serve(connection),
    });
    this.#dispatch = new Dispatch(new Map([...own, ...frames]), services.log, (connection) => {
      if (this.#isDraining) connection.close(closeCodes.restart, 'restart');
    });
    events.subscribe((event) => this.#learn(event));
    this.#pulse = new Pulse(
      clock.monotonicMs,
      () => this.#catchUp(),
      () => this.#goOn(),
    );
    this.#interval = clock.every(TURN_MS, () => this.#turn());
  }

  get isDraining(): boolean {
    return this.#isDraining || this.#services.lifecycle.draining;
  }

  isFull(addressKey: string): boolean {
    return this.#live.isFull(addressKey);
  }

  /** Makes a socket of a request in which `findFlaw` finds none. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const addressKey = addressKeyOf(request, this.#services.config.trustProxy);
    this.#server.handleUpgrade(request, socket, head, (connection) => {
      connection.attach(this, socket);
      this.#live.add(connection, addressKey);
      awaitHello(connection, this.#services.clock.monotonicMs());
    });
  }

  heard(connection: Connection, message: Buffer, isBinary: boolean): void {
    // What came in one piece with a frame that ended the connection is not heard any more.
    if (connection.isOpen && this.#pay(connection)) this.#dispatch.receive(connection, message, isBinary);
  }

  heardControl(connection: Connection): void {
    if (connection.isOpen) this.#pay(connection);
  }

  drained(connection: Connection): void {
    this.#services.inbox.delivery.drained(connection);
    this.#dispatch.drained(connection);
  }

  unblocked(connection: Connection, userId: string): void {
    this.#services.presence.watchers.resumeShowing(connection, userId);
  }

  get isHeldUp(): boolean {
    return this.#pulse.isHeldUp;
  }

  left(connection: Connection): void {
    const { userId, isActive, saidBye } = connection;
    this.#live.remove(connection);
    if (userId === '') return;
    const { inbox, presence, push } = this.#services;
    push.attention.remove(connection);
    inbox.delivery.leave(connection);
    presence.watchers.leave(connection);
    presence.online.disconnected(userId, isActive, saidBye);
  }

  closed(connection: Connection): void {
    this.#live.all.delete(connection);
    if (this.#live.all.size === 0) this.#onLastClosed();
  }

  /**
   * Closes all connections: says when to reconnect, answers what is in flight, and closes with 1012. Takes at most 3 s;
   * connections that are left then are terminated.
   */
  async drain(): Promise<void> {
    if (this.#isDraining) return;
    this.#isDraining = true;
    const { all } = this.#live;
    if (all.size === 0) return;
    this.#services.log.info({ sockets: all.size }, 'sending sockets away');
    const everybodyLeft = new Promise<void>((resolve) => {
      this.#onLastClosed = resolve;
    });
    for (const connection of all) {
      connection.sendFrame({ type: 'drain', spreadMs: SPREAD_MS });
      if (connection.waiting === null || connection.isHeld) connection.close(closeCodes.restart, 'restart');
    }
    const tooLong = setTimeout(() => {
      for (const connection of all) connection.terminate();
    }, DRAIN_MS);
    await everybodyLeft;
    clearTimeout(tooLong);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drain();
    this.#interval[Symbol.dispose]();
  }

  #pay(connection: Connection): boolean {
    if (payFrame(connection, this.#services.clock.monotonicMs())) return true;
    connection.close(closeCodes.tooMany, 'too_many_frames');
    return false;
  }

  #letIn(connection: Connection, { userId, sessionId, expiresAt }: Caller, hello: Hello, start: Start): void {
    const { device = '', visible = true, active = visible } = hello;
    connection.isVisible = visible;
    connection.isActive = active;
    connection.device = device;
    connection.expiresAt = expiresAt;
    connection.seq = start.cursor;
    connection.liveAt = start.head;
    connection.blocked = start.blocked.size > 0 ? new Set(start.blocked) : null;
    this.#services.presence.online.connected(userId, active);
    this.#services.push.attention.setAttentive(connection, userId, connection.isAttentive);
    startHeartbeat(connection, this.#services.clock.monotonicMs());
    this.#live.name(connection, userId, sessionId);
  }

  /** The reply to `hello` is written: now come the events that were there already, then all that happens. */
  #serve(connection: Connection): void {
    if (!connection.hasLeft)
      this.#services.inbox.delivery.join(connection, connection.seq, connection.liveAt);
  }

  #learn(event: ServiceEvent): void {
    if (event.type === 'sessions-ended') for (const id of event.sessionIds) this.#end(id, event.reason);
    if (event.type === 'typing')
      for (const connection of this.#live.ofUser(event.to)) connection.writeTyping(event.from);
    if (event.type === 'external-change') {
      this.#isDoubtful = true;
      void this.#askAgain();
    }
  }

  #end(sessionId: string, ending: Ending): void {
    const [code, word] =
      ending === 'suspended'
        ? [closeCodes.suspended, 'suspended']
        : [closeCodes.sessionEnded, 'session_ended'];
    for (const connection of this.#live.ofSession(sessionId)) connection.close(code, word);
  }

  /** Asks the database about every session here. If that fails, the next turn tries again. */
  async #askAgain(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      while (this.#isDoubtful) {
        this.#isDoubtful = false;
        const endings = await findEndings(this.#services.db, this.#live.claims());
        for (const [sessionId, ending] of endings) this.#end(sessionId, ending);
      }
    } catch (err) {
      this.#isDoubtful = true;
      this.#services.log.error({ err }, 'the sessions of the sockets could not be checked');
    } finally {
      this.#isAsking = false;
    }
  }

  /** What a process that was held up may have missed: the ends of sessions. @returns whether it could be read */
  async #catchUp(): Promise<boolean> {
    this.#isDoubtful = true;
    await this.#askAgain();
    return !this.#isDoubtful && !this.#isAsking;
  }

  #goOn(): void {
    for (const connection of this.#live.all) {
      connection.release();
      this.drained(connection);
    }
    const { inbox, log } = this.#services;
    inbox.delivery.sweep().catch((err) => log.error({ err }, 'the heads of the inboxes could not be read'));
  }

  #turn(): void {
    const nowMs = this.#services.clock.monotonicMs();
    if (nowMs - this.#useMarkedAtMs >= SESSION_TOUCH_MS) this.#markUse(nowMs);
    const epochMs = this.#services.clock.now();
    // No connection counts as silent before what came while this process was held up is read.
    if (this.#pulse.beat()) for (const connection of this.#live.all) lookAfter(connection, nowMs, epochMs);
    if (this.#isDoubtful) void this.#askAgain();
  }

  /** A session with an open socket is in use, though no request comes by it. */
  #markUse(nowMs: number): void {
    this.#useMarkedAtMs = nowMs;
    const connections = this.#live.all.values().filter(({ userId }) => userId !== '');
    this.#services.accounts.authentication.markUsed(connections.map(({ sessionId }) => sessionId));
  }
}
