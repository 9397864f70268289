import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { WebSocketServer } from 'ws';
import type { AccountServices } from '../accounts/account-services.ts';
import { SESSION_TOUCH_MS } from '../accounts/sessions.ts';
import type { Clock } from '../clock.ts';
import type { Db } from '../db/db.ts';
import type { ChangeReader } from '../events/change-reader.ts';
import type { Events, ServiceEvent } from '../events/hints.ts';
import type { Caller } from '../http/authenticate.ts';
import { addressKeyOf, addressOf, type TrustedNetworks } from '../http/client-address.ts';
import type { ProxyWarnings } from '../http/log/proxy-warnings.ts';
import { prefersEnglish } from '../http/texts/language.ts';
import type { InboxServices } from '../inbox/inbox-services.ts';
import type { PresenceServices } from '../presence/presence-services.ts';
import type { PushServices } from '../push/push-services.ts';
import { findStart, type Start } from '../sync/start.ts';
import { closeCodes } from './close-codes.ts';
import { Connection, type ConnectionEvents } from './connection.ts';
import { Dispatch } from './dispatch.ts';
import { EndedSessions, type EndReason } from './ended-sessions.ts';
import { helloFrame, MAX_FRAME_BYTES, type RoomFrames, sessionFrames } from './frames.ts';
import type { Hello } from './frames-in.ts';
import { LiveConnections } from './live-connections.ts';
import type { SocketLog } from './socket-log.ts';
import { SocketSession } from './socket-session.ts';
import { StallDetector, type StallState } from './stall-detector.ts';
import { SUBPROTOCOL } from './upgrade.ts';

/** Between two heartbeat checks: how exact the heartbeat's times are. */
const HEARTBEAT_CHECK_MS = 500;
/** Between two checks whether the process stalled: part of the time in which a frame is answered. */
const STALL_CHECK_MS = 100;
/**
 * The clients of a stopping process reconnect at random moments, a thousand a second, within these bounds. The lesser one is below the grace
 * of presence, so that users do not appear offline meanwhile.
 */
const RECONNECTS_PER_MS = 1;
const LEAST_SPREAD_MS = 8_000;
const MOST_SPREAD_MS = 20_000;
/** How long a stop waits for requests in flight, and for clients to answer the close. */
const DRAIN_MS = 3_000;

/** Options of the library; RFC 6455 leaves all of them open. */
const serverOptions = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: MAX_FRAME_BYTES,
  // A frame in a thousand fragments would take far more memory than its bytes.
  maxFragments: 64,
  maxBufferedChunks: 1024,
  // How long a client may take to answer a close before its connection is terminated.
  closeTimeout: DRAIN_MS,
  handleProtocols: (offered: Set<string>) => offered.has(SUBPROTOCOL) && SUBPROTOCOL,
  WebSocket: Connection,
};

/** The other nodes, which ask about this one's sockets. */
interface OtherNodes {
  readonly presence: {
    attach(sockets: Pick<LiveConnections, 'oldestOf' | 'sessionsOf'>): void;
    rename(): void;
  };
}

interface SocketServices {
  readonly changes: Pick<ChangeReader, 'read'>;
  readonly accounts: Pick<AccountServices, 'authentication' | 'openSockets'>;
  readonly clock: Clock;
  readonly config: { readonly trustProxy: TrustedNetworks };
  readonly db: Db;
  readonly events: Events;
  readonly inbox: InboxServices;
  readonly lifecycle: { readonly draining: boolean };
  readonly limits: { readonly proxyWarnings: Pick<ProxyWarnings, 'look' | 'noteUser'> };
  readonly log: Logger;
  readonly nodes: OtherNodes | null;
  readonly presence: Pick<PresenceServices, 'local' | 'mirror' | 'watchers'>;
  readonly push: Pick<PushServices, 'attention'>;
}

/**
 * Keeps all connections of this process, from the upgrade to the close: opens their sessions, checks heartbeats and ended
 * sessions, and drains them when the process stops. Their frames are answered by {@link Dispatch}.
 */
export class Sockets implements AsyncDisposable, ConnectionEvents {
  readonly #services: SocketServices;
  readonly #server = new WebSocketServer<typeof Connection>(serverOptions);
  readonly #live: LiveConnections;
  readonly #dispatch: Dispatch;
  readonly #intervals = new DisposableStack();
  readonly #stallDetector: StallDetector;
  readonly #endedSessions: EndedSessions;
  readonly #log: SocketLog | null;
  #isDraining = false;
  /** Whether frames were read since the last heartbeat check. */
  #hasRead = true;
  #onLastClosed: () => void = () => {};
  #markedUsedAtMs: number;
  readonly #onUnblock = (session: SocketSession, userId: string): void =>
    this.#services.presence.watchers.resumeShowing(session, userId);

  /**
   * @param log logs each upgrade and each close; null: none
   * @param onLimited called with the word of each frame that a limit refused
   */
  constructor(
    services: SocketServices,
    rooms: RoomFrames,
    log: SocketLog | null,
    onLimited: (word: string, connection: Connection) => void,
  ) {
    this.#services = services;
    this.#log = log;
    this.#markedUsedAtMs = services.clock.monotonicMs();
    const { accounts, clock, db, events, inbox, presence } = services;
    this.#live = new LiveConnections(presence.mirror);
    const { authentication } = accounts;
    this.#stallDetector = new StallDetector(
      clock.monotonicMs,
      () => events.hasReadLately,
      () => this.#readMissed(),
      {
        onCutOff: () => this.#onCutOff(),
        onRecovered: (stoodStill) => this.#writeAgain(stoodStill),
      },
    );
    this.#dispatch = new Dispatch(
      {
        hello: helloFrame(
          authentication,
          (connection) => this.#live.addressOf(connection),
          () => inbox.epoch,
          (userId, hello) => findStart(db, userId, () => inbox.epoch, hello),
          (connection, caller, hello, start) => this.#admit(connection, caller, hello, start),
          (connection) => this.#serve(connection),
        ),
        ...sessionFrames(authentication),
        ...rooms,
      },
      this.#stallDetector,
      services.log,
      (connection) => {
        if (this.#isDraining) connection.close(closeCodes.restart, 'restart');
      },
      onLimited,
    );
    this.#endedSessions = new EndedSessions(
      db,
      services.log,
      () => this.#live.sessions(),
      (sessionId, reason) => this.#closeSession(sessionId, reason),
    );
    events.subscribe((event) => this.#onEvent(event));
    services.nodes?.presence.attach(this.#live);
    presence.mirror.onMoreSockets((userId) => this.#live.closeExcess(userId));
    this.#intervals.use(clock.every(HEARTBEAT_CHECK_MS, () => this.#checkAll()));
    this.#intervals.use(clock.every(STALL_CHECK_MS, () => this.#stallDetector.check()));
  }

  get isDraining(): boolean {
    return this.#isDraining || this.#services.lifecycle.draining;
  }

  get counts(): { open: number; opened: number } {
    return this.#live.counts;
  }

  hasTooManyPending(addressKey: string): boolean {
    return this.#live.hasTooManyPending(addressKey);
  }

  /**
   * Upgrades a request for which `findRefusal` finds no reason against it.
   *
   * @param requestId the `x-request-id` of the answer
   */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, requestId: string): void {
    const { trustProxy } = this.#services.config;
    const client = { key: addressKeyOf(request, trustProxy), address: addressOf(request, trustProxy) };
    this.#services.limits.proxyWarnings.look(request);
    const addId = (headers: string[]) => void headers.push(`x-request-id: ${requestId}`);
    this.#server.once('headers', addId);
    this.#server.handleUpgrade(request, socket, head, (connection) => {
      this.#log?.opened(connection, request, requestId);
      connection.attach(this, socket, client.key, prefersEnglish(request.headers));
      this.#live.add(connection, client);
      connection.heartbeat.awaitHello(this.#services.clock.monotonicMs());
    });
    this.#server.off('headers', addId);
  }

  onMessage(connection: Connection, message: Buffer, isBinary: boolean): void {
    // Messages may arrive together with a frame that closed the connection.
    if (connection.isOpen && this.#spendFrameBudget(connection))
      this.#dispatch.receive(connection, message, isBinary);
  }

  onControlFrame(connection: Connection): void {
    if (connection.isOpen) this.#spendFrameBudget(connection);
  }

  onDrain(connection: Connection): void {
    if (connection.session) this.#services.inbox.delivery.drained(connection.session);
    this.#dispatch.onDrain(connection);
  }

  get stallState(): StallState {
    return this.#stallDetector.state;
  }

  onLeave(connection: Connection, code: number): void {
    this.#log?.closed(connection, code);
    this.#live.remove(connection);
    this.#dispatch.forget(connection);
    const { session } = connection;
    if (!session) return;
    const { accounts, inbox, presence, push } = this.#services;
    accounts.openSockets.add(session.sessionId, -1);
    push.attention.remove(session);
    inbox.delivery.leave(session);
    presence.watchers.leave(session);
    presence.local.disconnected(session.userId, session.isActive, session.saidGoodbye);
  }

  onClose(connection: Connection): void {
    this.#live.all.delete(connection);
    if (this.#live.all.size === 0) this.#onLastClosed();
  }

  /**
   * Closes all connections: sends `drain`, answers the requests in flight, and closes with 1012. Takes at most 3 s;
   * connections that are still open then are terminated.
   */
  async drain(): Promise<void> {
    if (this.#isDraining) return;
    this.#isDraining = true;
    const { all } = this.#live;
    if (all.size === 0) return;
    this.#services.log.info({ sockets: all.size }, 'closing all sockets');
    const allClosed = new Promise<void>((resolve) => {
      this.#onLastClosed = resolve;
    });
    const spreadMs = Math.min(Math.max(all.size / RECONNECTS_PER_MS, LEAST_SPREAD_MS), MOST_SPREAD_MS);
    for (const connection of all) {
      connection.sendFrame({ type: 'drain', spreadMs });
      if (!this.#dispatch.isAnswering(connection)) connection.close(closeCodes.restart, 'restart');
    }
    const tooLong = setTimeout(() => {
      for (const connection of all) connection.terminate();
    }, DRAIN_MS);
    await allClosed;
    clearTimeout(tooLong);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drain();
    this.#intervals.dispose();
  }

  #spendFrameBudget(connection: Connection): boolean {
    if (connection.spendFrameBudget(this.#services.clock.monotonicMs())) return true;
    connection.close(closeCodes.tooMany, 'too_many_frames');
    return false;
  }

  #admit(connection: Connection, caller: Caller, hello: Hello, start: Start): void {
    const { accounts, clock, limits, presence, push } = this.#services;
    const session = new SocketSession(connection, caller, hello, start, clock.now(), this.#onUnblock);
    connection.admit(session);
    limits.proxyWarnings.noteUser(session.userId, this.#live.addressOf(connection));
    accounts.openSockets.add(session.sessionId, 1);
    presence.local.connected(session.userId, session.isActive);
    push.attention.setAttentive(session, session.userId, session.isAttentive);
    connection.heartbeat.start(clock.monotonicMs());
    this.#live.register(connection, session);
  }

  /** After the reply to `hello`: writes the events that the device has missed, then each new one. */
  #serve(connection: Connection): void {
    const { hasLeft, session } = connection;
    if (hasLeft || !session) return;
    const { delivery, epoch } = this.#services.inbox;
    // The reply may have waited while the epoch was renewed.
    if (session.epoch === epoch) delivery.join(session, session.seq, session.head);
    else session.overflow();
  }

  #onEvent(event: ServiceEvent): void {
    if (event.type === 'sessions-ended') for (const id of event.sessionIds) this.#closeSession(id, 'ended');
    if (event.type === 'typing')
      for (const session of this.#live.ofUser(event.to)) session.writeTyping(event.from);
    if (event.type === 'external-change') void this.#endedSessions.check();
  }

  #closeSession(sessionId: string, endReason: EndReason): void {
    const [code, reason] =
      endReason === 'suspended'
        ? [closeCodes.suspended, 'suspended']
        : [closeCodes.sessionEnded, 'session_ended'];
    for (const { transport } of this.#live.ofSession(sessionId)) transport.close(code, reason);
  }

  /** @returns whether what other processes changed is read, and no session is open that one of them ended */
  async #readMissed(): Promise<boolean> {
    const { changes, log } = this.#services;
    try {
      await changes.read();
      return await this.#endedSessions.retry();
    } catch (err) {
      log.error({ err }, 'what other processes changed could not be read');
      return false;
    }
  }

  /** Replies and pongs go on, without data. */
  #onCutOff(): void {
    for (const connection of this.#live.all) connection.flushDeferred();
    this.#dispatch.onCutOff();
  }

  /** After a stall: sends what was held back. */
  #writeAgain(stoodStill: boolean): void {
    // The other nodes may have given this one up.
    if (stoodStill) this.#services.nodes?.presence.rename();
    for (const connection of this.#live.all) {
      connection.flushDeferred();
      this.onDrain(connection);
    }
    const { inbox, log } = this.#services;
    inbox.delivery.sweep().catch((err) => log.error({ err }, 'the heads of the inboxes could not be read'));
  }

  #checkAll(): void {
    const nowMs = this.#services.clock.monotonicMs();
    if (nowMs - this.#markedUsedAtMs >= SESSION_TOUCH_MS) this.#markUsed(nowMs);
    const epochMs = this.#services.clock.now();
    // After a stall no client counts as silent before the frames that arrived meanwhile are read.
    const [hadRead, reads] = [this.#hasRead, this.stallState !== 'reading'];
    this.#hasRead = reads;
    if (hadRead && reads)
      for (const connection of this.#live.all) connection.heartbeat.check(connection, nowMs, epochMs);
    void this.#endedSessions.retry();
  }

  /** A session with an open socket is in use, even without requests. */
  #markUsed(nowMs: number): void {
    this.#markedUsedAtMs = nowMs;
    this.#services.accounts.authentication.markUsed(this.#live.sessions().map(({ sessionId }) => sessionId));
  }
}
