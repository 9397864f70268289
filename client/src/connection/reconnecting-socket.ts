import { Emitter } from '../emitter.ts';
import type { ConnectionState } from '../events.ts';
import type { SessionKeeper } from '../session/session-store.ts';
import type { Timeouts } from '../timeouts.ts';
import type { Welcome } from '../wire.ts';
import { backoffMs, judgeClose } from './close-codes.ts';
import { type Frame, Link } from './socket.ts';

interface ConnectorEvents {
  /** `hello` was answered. */
  welcome: { link: Link; welcome: Welcome };
  frame: { link: Link; frame: Frame };
  /** The connection ended, for any reason. */
  end: undefined;
  change: ConnectionState;
}

/** So many connections in a row may be ended over a frame before anything was answered. */
const MAX_REJECTIONS = 3;

/** Stays connected, as the close codes ask for (docs/protocol.md). */
export class Connector {
  readonly events = new Emitter<ConnectorEvents>();
  readonly #url: string;
  readonly #times: Timeouts;
  readonly #session: Pick<SessionKeeper, 'renew' | 'end'>;
  readonly #hello: () => object | undefined;
  #connection: ConnectionState = { state: 'off' };
  #isWanted = false;
  #link: Link | undefined;
  #failures = 0;
  /** How many connections in a row were ended over a frame before anything was answered. */
  #rejections = 0;
  /** One was ended over a frame, and none was steady since: which frame it is shows if they go one at a time. */
  #isOneAtATime = false;
  #spreadMs: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #steady: ReturnType<typeof setTimeout> | undefined;
  /** A token was refused, and no connection came to be since. */
  #isTokenDoubtful = false;

  /** @param hello the first frame without its type; `undefined` when no user is signed in */
  constructor(
    baseUrl: string,
    times: Timeouts,
    session: Pick<SessionKeeper, 'renew' | 'end'>,
    hello: () => object | undefined,
  ) {
    this.#url = `${baseUrl.replace(/^http/, 'ws')}/ws`;
    this.#times = times;
    this.#session = session;
    this.#hello = hello;
  }

  get connection(): ConnectionState {
    return this.#connection;
  }

  /** The connection, while it is live. */
  get live(): Link | undefined {
    return this.#connection.state === 'live' ? this.#link : undefined;
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
    this.#drop();
    this.#set({ state: 'off' });
  }

  /** Another person is about to be signed in: nothing more comes for the one before. */
  suspend(): void {
    this.#drop();
    if (this.#isWanted) this.#set({ state: 'connecting' });
  }

  /** Goes on for whom `hello` speaks of now, if a connection is wanted. */
  goOn(): void {
    if (!this.#isWanted || this.#link) return;
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

  /** Asks whether a live connection still is one. */
  probe(): void {
    this.live?.probe(Math.min(5_000, this.#times.pongMs));
  }

  /** Everything that was missed has come. */
  goLive(): void {
    clearTimeout(this.#steady);
    this.#steady = setTimeout(() => {
      this.#failures = 0;
      this.#isOneAtATime = false;
    }, this.#times.steadyMs);
    this.#set({ state: 'live' });
  }

  /** Begins anew, as when the other side does not keep to the protocol. */
  breakOff(): void {
    this.#drop(false);
    this.#wait();
  }

  /**
   * The page is left, perhaps to come back out of the browser's memory. Chromium keeps its socket open meanwhile, and
   * somebody who has gone would appear online until the service misses his pongs.
   */
  leavePage(): void {
    if (this.#link) this.breakOff();
  }

  #open(): void {
    if (!this.#hello()) {
      this.disconnect();
      return;
    }
    this.#spreadMs = undefined;
    const link = new Link(this.#url, this.#times, this.#isOneAtATime);
    link.events.on('open', () => this.#enter(link));
    link.events.on('frame', (frame) => {
      if (frame.type === 'drain') this.#spreadMs = Number(frame.spreadMs);
      else this.events.emit('frame', { link, frame });
    });
    link.events.on('close', ({ code, reason }) => this.#closed(code, reason));
    this.#link = link;
    this.#set({ state: 'connecting' });
  }

  #enter(link: Link): void {
    const hello = this.#hello();
    if (!hello) {
      this.disconnect();
      return;
    }
    const entered = (welcome: Welcome) => {
      if (this.#link !== link) return;
      link.settle();
      this.#isTokenDoubtful = false;
      this.#rejections = 0;
      this.events.emit('welcome', { link, welcome });
    };
    // Who is refused is sent away too, and the close says what to do.
    link.ask({ ...hello, type: 'hello' }, entered, () => {});
  }

  #closed(code: number, reason: string): void {
    const isDraining = this.#spreadMs !== undefined;
    const next = judgeClose(code, reason, isDraining);
    this.#drop();
    if (next !== 'rejected') this.#rejections = 0;
    switch (next) {
      case 'new-token':
        void this.#getToken();
        break;
      case 'suspended':
      case 'ended':
        this.#set({ state: 'connecting' });
        void this.#session.end(next);
        break;
      case 'replaced':
      case 'broken':
        this.#set({ state: 'stopped', why: next });
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

  /** The token was refused: another one is asked for, once. */
  async #getToken(): Promise<void> {
    this.#set({ state: 'connecting' });
    if (this.#isTokenDoubtful) return void this.#session.end('expired');
    const outcome = await this.#session.renew();
    if (outcome === 'ended' || this.#connection.state !== 'connecting' || this.#link) return;
    if (outcome === 'later') return this.#wait();
    this.#isTokenDoubtful = true;
    this.#open();
  }

  #wait(ms?: number): void {
    const { backoffMs: firstMs, maxBackoffMs } = this.#times;
    const waitMs = ms ?? backoffMs(this.#failures++, firstMs, maxBackoffMs);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#open(), waitMs);
    this.#set({ state: 'waiting', retryAt: Date.now() + Math.floor(waitMs) });
  }

  #drop(isBye = true): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#steady);
    const link = this.#link;
    this.#link = undefined;
    link?.leave(isBye);
    if (link) this.events.emit('end', undefined);
  }

  #set(connection: ConnectionState): void {
    if (connection.state === this.#connection.state && connection.state !== 'waiting') return;
    this.#connection = connection;
    this.events.emit('change', connection);
  }
}
