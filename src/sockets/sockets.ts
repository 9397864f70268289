import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { WebSocketServer } from 'ws';
import type { AccountServices } from '../accounts/account-services.ts';
import { SESSION_TOUCH_MS } from '../accounts/sessions.ts';
import type { Clock } from '../clock.ts';
import type { Db } from '../db/db.ts';
import type { Events, ServiceEvent } from '../events/hints.ts';
import type { Caller } from '../http/authenticate.ts';
import type { TrustedNetworks } from '../http/client-address.ts';
import type { InboxServices } from '../inbox/inbox-services.ts';
import type { PresenceServices } from '../presence/presence-services.ts';
import type { PushServices } from '../push/push-services.ts';
import { findStart, type Start } from '../sync/start.ts';
import { closeCodes } from './close-codes.ts';
import { Connection, type Listener } from './connection.ts';
import { Dispatch } from './dispatch.ts';
import { type Ending, findEndings } from './ended-sessions.ts';
import { helloFrame, MAX_FRAME_BYTES, type RoomFrames, sessionFrames } from './frames.ts';
import type { Hello } from './frames-in.ts';
import { LiveConnections } from './live-connections.ts';
import { SocketSession } from './socket-session.ts';
import { Pulse } from './stall-detector.ts';
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
  readonly #onUnblock = (session: SocketSession, userId: string): void =>
    this.#services.presence.watchers.resumeShowing(session, userId);

  constructor(services: SocketServices, rooms: RoomFrames) {
    this.#services = services;
    this.#useMarkedAtMs = services.clock.monotonicMs();
    const { accounts, clock, db, events, inbox } = services;
    const { epoch } = inbox;
    const { authentication } = accounts;
    this.#dispatch = new Dispatch(
      {
        hello: helloFrame(
          authentication,
          epoch,
          (userId, hello) => findStart(db, userId, epoch, hello),
          (connection, caller, hello, start) => this.#admit(connection, caller, hello, start),
          (connection) => this.#serve(connection),
        ),
        ...sessionFrames(authentication),
        ...rooms,
      },
      services.log,
      (connection) => {
        if (this.#isDraining) connection.close(closeCodes.restart, 'restart');
      },
    );
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
      connection.heartbeat.awaitHello(this.#services.clock.monotonicMs());
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
    if (connection.session) this.#services.inbox.delivery.drained(connection.session);
    this.#dispatch.drained(connection);
  }

  get isHeldUp(): boolean {
    return this.#pulse.isHeldUp;
  }

  left(connection: Connection): void {
    this.#live.remove(connection);
    this.#dispatch.forget(connection);
    const { session } = connection;
    if (!session) return;
    const { inbox, presence, push } = this.#services;
    push.attention.remove(session);
    inbox.delivery.leave(session);
    presence.watchers.leave(session);
    presence.online.disconnected(session.userId, session.isActive, session.saidGoodbye);
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
      if (!this.#dispatch.isAnswering(connection)) connection.close(closeCodes.restart, 'restart');
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
    if (connection.spendFrameBudget(this.#services.clock.monotonicMs())) return true;
    connection.close(closeCodes.tooMany, 'too_many_frames');
    return false;
  }

  #admit(connection: Connection, caller: Caller, hello: Hello, start: Start): void {
    const { clock, presence, push } = this.#services;
    const session = new SocketSession(connection, caller, hello, start, this.#onUnblock);
    connection.admit(session);
    presence.online.connected(session.userId, session.isActive);
    push.attention.setAttentive(session, session.userId, session.isAttentive);
    connection.heartbeat.start(clock.monotonicMs());
    this.#live.register(connection, session);
  }

  /** The reply to `hello` is written: now come the events that were there already, then all that happens. */
  #serve(connection: Connection): void {
    const { hasLeft, session } = connection;
    if (!hasLeft && session) this.#services.inbox.delivery.join(session, session.seq, session.head);
  }

  #learn(event: ServiceEvent): void {
    if (event.type === 'sessions-ended') for (const id of event.sessionIds) this.#end(id, event.reason);
    if (event.type === 'typing')
      for (const session of this.#live.ofUser(event.to)) session.writeTyping(event.from);
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
    for (const { transport } of this.#live.ofSession(sessionId)) transport.close(code, word);
  }

  /** Asks the database about every session here. If that fails, the next turn tries again. */
  async #askAgain(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      while (this.#isDoubtful) {
        this.#isDoubtful = false;
        const endings = await findEndings(this.#services.db, this.#live.sessions());
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
    if (this.#pulse.beat())
      for (const connection of this.#live.all) connection.heartbeat.check(connection, nowMs, epochMs);
    if (this.#isDoubtful) void this.#askAgain();
  }

  /** A session with an open socket is in use, though no request comes by it. */
  #markUse(nowMs: number): void {
    this.#useMarkedAtMs = nowMs;
    this.#services.accounts.authentication.markUsed(this.#live.sessions().map(({ sessionId }) => sessionId));
  }
}
