import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { WebSocketServer } from 'ws';
import { SESSION_TOUCH_MS } from '../accounts/sessions.ts';
import type { SharedEvents } from '../events/change-reader.ts';
import { addressKeyOf, addressOf, type TrustedNetworks } from '../http/client-address.ts';
import type { ServerHooks } from '../http/server.ts';
import { prefersEnglish } from '../http/texts/language.ts';
import { Connection, type ConnectionEvents } from './connection.ts';
import { Dispatch } from './dispatch.ts';
import { EndedSessions } from './ended-sessions.ts';
import { MAX_FRAME_BYTES, type RoomFrames, sessionFrames } from './frames.ts';
import { LiveConnections } from './live-connections.ts';
import type { SocketLog } from './socket-log.ts';
import { type SessionServices, SocketSessions } from './socket-sessions.ts';
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

interface SocketServices extends SessionServices {
  readonly config: { readonly trustProxy: TrustedNetworks };
  readonly events: SharedEvents;
  readonly log: Logger;
}

/**
 * Keeps all connections of this process, from the upgrade to the close: checks their heartbeats, holds them back after a stall, and
 * drains them when the process stops. {@link Dispatch} answers their frames, {@link SocketSessions} opens their sessions, and
 * {@link EndedSessions} closes them.
 */
export class Sockets implements AsyncDisposable, ConnectionEvents {
  readonly live = new LiveConnections();
  readonly #services: SocketServices;
  readonly #server = new WebSocketServer<typeof Connection>(serverOptions);
  readonly #dispatch: Dispatch;
  readonly #sessions: SocketSessions;
  readonly #endedSessions: EndedSessions;
  readonly #stallDetector: StallDetector;
  readonly #intervals = new DisposableStack();
  readonly #log: SocketLog | null;
  /** Whether frames were read since the last heartbeat check. */
  #hasRead = true;
  #onLastClosed: () => void = () => {};

  /**
   * @param log logs each upgrade and each close; null: none
   * @param hooks of the server: each frame that a limit refused is counted there
   */
  constructor(
    services: SocketServices,
    rooms: RoomFrames,
    log: SocketLog | null,
    hooks: Pick<ServerHooks, 'countRefusal'>,
  ) {
    const { accounts, clock, db, events, presence } = services;
    this.#services = services;
    this.#log = log;
    this.#sessions = new SocketSessions(services, this.live);
    this.#endedSessions = new EndedSessions(db, events, this.live, services.log);
    this.#stallDetector = new StallDetector({
      monotonicMs: clock.monotonicMs,
      changes: events.changes,
      recover: () => this.#endedSessions.catchUp(),
      onCutOff: () => this.#dispatch.onCutOff(),
      onRecovered: () => this.#writeAgain(),
    });
    const handlers = { ...sessionFrames(accounts.authentication), ...rooms };
    this.#dispatch = new Dispatch(this.#sessions, handlers, this.#stallDetector, services.log, hooks);
    events.subscribe((event) => {
      if (event.type !== 'typing') return;
      for (const connection of presence.online.here(event.to)) connection.writeTyping(event.from);
    });
    this.#intervals.use(clock.every(HEARTBEAT_CHECK_MS, () => this.#checkAll()));
    // A session with an open socket is in use, even without requests.
    this.#intervals.use(
      clock.every(SESSION_TOUCH_MS, () =>
        accounts.authentication.markUsed(this.live.sessions().map(({ sessionId }) => sessionId)),
      ),
    );
    this.#intervals.use(clock.every(STALL_CHECK_MS, () => this.#stallDetector.check()));
  }

  /**
   * Upgrades a request for which `findRefusal` finds no reason against it.
   *
   * @param requestId the `x-request-id` of the answer
   */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, requestId: string): void {
    const { trustProxy } = this.#services.config;
    this.#services.limits.proxyWarnings.look(request);
    const addId = (headers: string[]) => void headers.push(`x-request-id: ${requestId}`);
    this.#server.once('headers', addId);
    this.#server.handleUpgrade(request, socket, head, (connection) => {
      this.#log?.opened(connection, request, requestId);
      connection.attach(this, socket);
      connection.addressKey = addressKeyOf(request, trustProxy);
      connection.address = addressOf(request, trustProxy);
      connection.readsEnglish = prefersEnglish(request.headers);
      this.live.add(connection);
      connection.heartbeat.awaitHello(this.#services.clock.monotonicMs());
    });
    this.#server.off('headers', addId);
  }

  onMessage(connection: Connection, message: Buffer, isBinary: boolean): void {
    if (connection.spendFrameBudget(this.#services.clock.monotonicMs()))
      this.#dispatch.receive(connection, message, isBinary);
  }

  onControlFrame(connection: Connection): void {
    connection.spendFrameBudget(this.#services.clock.monotonicMs());
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
    this.live.settle(connection);
    this.#dispatch.forget(connection);
    this.#sessions.leave(connection);
  }

  onClose(connection: Connection): void {
    this.live.all.delete(connection);
    if (this.live.all.size === 0) this.#onLastClosed();
  }

  /**
   * Closes all connections: sends `drain`, answers the requests in flight, and closes with 1012. Takes at most 3 s;
   * connections that are still open then are terminated.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    const { all } = this.live;
    if (all.size > 0) {
      this.#services.log.info({ sockets: all.size }, 'closing all sockets');
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#onLastClosed = resolve;
      const spreadMs = Math.min(Math.max(all.size / RECONNECTS_PER_MS, LEAST_SPREAD_MS), MOST_SPREAD_MS);
      for (const connection of all) connection.sendFrame({ type: 'drain', spreadMs });
      this.#dispatch.drain(all);
      const tooLong = setTimeout(() => {
        for (const connection of all) connection.terminate();
      }, DRAIN_MS);
      await promise;
      clearTimeout(tooLong);
    }
    this.#intervals.dispose();
  }

  /** After a stall: handles the frames that wait, and sends the events that are missing. */
  #writeAgain(): void {
    for (const connection of this.live.all) this.onDrain(connection);
    const { inbox, log } = this.#services;
    inbox.delivery.compare().catch((err) => log.error({ err }, 'the heads of the inboxes could not be read'));
  }

  #checkAll(): void {
    const nowMs = this.#services.clock.monotonicMs();
    const epochMs = this.#services.clock.now();
    // After a stall no client counts as silent before the frames that arrived meanwhile are read.
    const [hadRead, reads] = [this.#hasRead, this.stallState !== 'reading'];
    this.#hasRead = reads;
    if (hadRead && reads)
      for (const connection of this.live.all) connection.heartbeat.check(connection, nowMs, epochMs);
    void this.#endedSessions.retry();
  }
}
