import { Emitter } from '../emitter.ts';
import type { ConnectionState } from '../events.ts';
import type { SessionStore } from '../session/session-store.ts';
import type { Timeouts } from '../timeouts.ts';
import type { Welcome } from '../wire.ts';
import { backoffMs, classifyClose } from './close-codes.ts';
import { type Frame, Socket } from './socket.ts';

interface ReconnectingSocketEvents {
  /** `hello` was answered. */
  welcome: { socket: Socket; welcome: Welcome };
  frame: { socket: Socket; frame: Frame };
  end: undefined;
  change: ConnectionState;
}

/** How many connections in a row may end over a frame before any frame is answered. */
const MAX_REJECTIONS = 3;

/** Stays connected, by the rules of the close codes (docs/protocol.md). */
export class ReconnectingSocket {
  readonly events = new Emitter<ReconnectingSocketEvents>();
  readonly #url: string;
  readonly #timeouts: Timeouts;
  readonly #session: Pick<SessionStore, 'renew' | 'end'>;
  readonly #hello: () => object | undefined;
  #connection: ConnectionState = { state: 'off' };
  #isWanted = false;
  #socket: Socket | undefined;
  #failures = 0;
  /** How many connections in a row have ended over a frame before any frame was answered. */
  #rejections = 0;
  /** A connection ended over a frame, and none was steady since: sending one at a time shows which frame it is. */
  #isOneAtATime = false;
  #spreadMs: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #steadyTimer: ReturnType<typeof setTimeout> | undefined;
  /** A token was refused, and no connection was welcomed since. */
  #isTokenDoubtful = false;

  /** @param hello the first frame without its type; `undefined` when no user is signed in */
  constructor(
    baseUrl: string,
    timeouts: Timeouts,
    session: Pick<SessionStore, 'renew' | 'end'>,
    hello: () => object | undefined,
  ) {
    this.#url = `${baseUrl.replace(/^http/, 'ws')}/ws`;
    this.#timeouts = timeouts;
    this.#session = session;
    this.#hello = hello;
  }

  get state(): ConnectionState {
    return this.#connection;
  }

  get live(): Socket | undefined {
    return this.#connection.state === 'live' ? this.#socket : undefined;
  }

  connect(): void {
    const { state } = this.#connection;
    this.#isWanted = true;
    if (state !== 'off' && state !== 'stopped') return;
    this.#failures = 0;
    this.#rejections = 0;
    this.#open();
  }

  disconnect(): void {
    this.#isWanted = false;
    this.#close();
    this.#set({ state: 'off' });
  }

  /** Another user is about to be signed in: nothing more arrives for the one before. */
  suspend(): void {
    this.#close();
    if (this.#isWanted) this.#set({ state: 'connecting' });
  }

  /** Connects as the user of `hello`, if a connection is wanted. */
  resume(): void {
    if (!this.#isWanted || this.#socket) return;
    this.#failures = 0;
    this.#isTokenDoubtful = false;
    this.#open();
  }

  reconnectNow(): void {
    if (this.#connection.state === 'waiting') {
      clearTimeout(this.#timer);
      this.#open();
    } else {
      this.probe();
    }
  }

  /** Checks a live connection by a ping. */
  probe(): void {
    this.live?.probe(Math.min(5_000, this.#timeouts.pongMs));
  }

  /** Every missed event was delivered. */
  goLive(): void {
    clearTimeout(this.#steadyTimer);
    this.#steadyTimer = setTimeout(() => {
      this.#failures = 0;
      this.#isOneAtATime = false;
    }, this.#timeouts.steadyMs);
    this.#set({ state: 'live' });
  }

  /** Ends this connection and opens another after a wait, as when the service violates the protocol. */
  drop(): void {
    this.#close(false);
    this.#wait();
  }

  /**
   * The page is left, perhaps to return from the browser's back-forward cache. Chromium keeps the socket open meanwhile, and
   * the user would appear online until the service misses a pong.
   */
  leavePage(): void {
    if (this.#socket) this.drop();
  }

  #open(): void {
    if (!this.#hello()) {
      this.disconnect();
      return;
    }
    this.#spreadMs = undefined;
    const socket = new Socket(this.#url, this.#timeouts, this.#isOneAtATime);
    socket.events.on('open', () => this.#sendHello(socket));
    socket.events.on('frame', (frame) => {
      if (frame.type === 'drain') this.#spreadMs = Number(frame.spreadMs);
      else this.events.emit('frame', { socket, frame });
    });
    socket.events.on('close', ({ code, reason }) => this.#onClose(code, reason));
    this.#socket = socket;
    this.#set({ state: 'connecting' });
  }

  #sendHello(socket: Socket): void {
    const hello = this.#hello();
    if (!hello) {
      this.disconnect();
      return;
    }
    const onWelcome = (welcome: Welcome) => {
      if (this.#socket !== socket) return;
      socket.startSilenceCheck();
      this.#isTokenDoubtful = false;
      this.#rejections = 0;
      this.events.emit('welcome', { socket, welcome });
    };
    // After a refusal the service closes the connection too, and the close code says what to do.
    socket.requestThen({ ...hello, type: 'hello' }, onWelcome, () => {});
  }

  #onClose(code: number, reason: string): void {
    const isDraining = this.#spreadMs !== undefined;
    const action = classifyClose(code, reason, isDraining);
    this.#close();
    if (action !== 'rejected') this.#rejections = 0;
    switch (action) {
      case 'new-token':
        void this.#renewToken();
        break;
      case 'suspended':
      case 'leaving':
      case 'ended':
        this.#set({ state: 'connecting' });
        void this.#session.end(action);
        break;
      case 'replaced':
      case 'broken':
        this.#set({ state: 'stopped', why: action });
        break;
      case 'rejected':
        this.#isOneAtATime = true;
        if (++this.#rejections < MAX_REJECTIONS) this.#wait();
        else this.#set({ state: 'stopped', why: 'broken' });
        break;
      case 'spread':
        this.#wait(Math.random() * (this.#spreadMs ?? 0));
        break;
      default:
        this.#wait();
    }
  }

  /** The token was refused: gets another one, once. */
  async #renewToken(): Promise<void> {
    this.#set({ state: 'connecting' });
    if (this.#isTokenDoubtful) return void this.#session.end('expired');
    const outcome = await this.#session.renew();
    if (outcome === 'ended' || this.#connection.state !== 'connecting' || this.#socket) return;
    if (outcome === 'later') return this.#wait();
    this.#isTokenDoubtful = true;
    this.#open();
  }

  #wait(ms?: number): void {
    const { backoffMs: firstMs, maxBackoffMs } = this.#timeouts;
    const waitMs = ms ?? backoffMs(this.#failures++, firstMs, maxBackoffMs);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#open(), waitMs);
    this.#set({ state: 'waiting', retryAt: Date.now() + Math.floor(waitMs) });
  }

  #close(isBye = true): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#steadyTimer);
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close(isBye);
    if (socket) this.events.emit('end', undefined);
  }

  #set(connection: ConnectionState): void {
    if (connection.state === this.#connection.state && connection.state !== 'waiting') return;
    this.#connection = connection;
    this.events.emit('change', connection);
  }
}
