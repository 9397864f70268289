import { hasBadText } from '../bad-text.ts';
import type { Socket } from '../connection/socket.ts';
import type { Emitter } from '../emitter.ts';
import { DoormanError } from '../errors.ts';
import type { DoormanEvents } from '../events.ts';
import type { Timeouts } from '../timeouts.ts';
import type { PresenceState } from '../wire.ts';

/** How many users one connection may watch, and how long an id may be (docs/protocol.md, `watch`). */
const MAX_WATCHED = 500;
const MAX_ID_LENGTH = 100;
const RETRY_MS = 5_000;
/** Lists that are sent without a wait between them: with `watchEveryMs`, at most 9 frames in 10 s. */
const BURST = 3;

type WatchTimeouts = Pick<Timeouts, 'watchMs' | 'watchEveryMs' | 'limitWindowMs'>;

/** The users that the program watches, all subscriptions together, and their presence. */
export class PresenceSubscriptions {
  readonly #timeouts: WatchTimeouts;
  readonly #emitter: Emitter<DoormanEvents>;
  readonly #live: () => Socket | undefined;
  /** The number of subscriptions of each user, the latest subscribed last. */
  readonly #watched = new Map<string, number>();
  #states = new Map<string, PresenceState>();
  /** The list that the service has for this connection. */
  #sent = new Set<string>();
  /** The connection on which a list is in flight; one at a time. */
  #sending: Socket | undefined;
  /** When the next list of this connection would be sent if all were `watchEveryMs` apart, by the monotonic clock. */
  #nextListAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(timeouts: WatchTimeouts, emitter: Emitter<DoormanEvents>, live: () => Socket | undefined) {
    this.#timeouts = timeouts;
    this.#emitter = emitter;
    this.#live = live;
  }

  watch(userIds: readonly string[]): () => void {
    const ids = new Set(userIds);
    for (const id of ids) {
      const count = this.#watched.get(id) ?? 0;
      this.#watched.delete(id);
      this.#watched.set(id, count + 1);
    }
    this.#sendSoon();
    return () => {
      for (const id of ids) {
        const count = this.#watched.get(id) ?? 0;
        if (count > 1) this.#watched.set(id, count - 1);
        else this.#watched.delete(id);
      }
      ids.clear();
      this.#sendSoon();
    };
  }

  stateOf(userId: string): PresenceState | undefined {
    return this.#watched.has(userId) ? this.#states.get(userId) : undefined;
  }

  onLive(): void {
    this.#sent = new Set();
    this.#nextListAt = 0;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sendSoon(0);
  }

  /** Another user. */
  reset(): void {
    this.#states = new Map();
  }

  /** The service reported the presence of these users. */
  update(users: readonly PresenceState[]): void {
    const changed = users.filter((state) => {
      const known = this.#states.get(state.id);
      return (
        this.#watched.has(state.id) &&
        !(
          known &&
          known.online === state.online &&
          known.idle === state.idle &&
          known.lastSeen === state.lastSeen
        )
      );
    });
    for (const state of changed) this.#states.set(state.id, state);
    if (changed.length > 0) this.#emitter.emit('presence', changed);
  }

  /** A blocked user appears offline and never seen; the service reports nothing more about them. */
  hide(userId: string): void {
    if (this.#states.has(userId)) this.update([{ id: userId, online: 0, idle: 0, lastSeen: 0 }]);
  }

  #sendSoon(ms = this.#timeouts.watchMs): void {
    const leastWaitMs = this.#nextListAt - (BURST - 1) * this.#timeouts.watchEveryMs - performance.now();
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        void this.#send();
      },
      Math.max(ms, leastWaitMs),
    );
  }

  async #send(): Promise<void> {
    const socket = this.#live();
    if (!socket || this.#sending === socket) return;
    const watched = this.#latest();
    if (watched.size === this.#sent.size && [...watched].every((id) => this.#sent.has(id))) return;
    this.#sending = socket;
    this.#nextListAt = Math.max(this.#nextListAt, performance.now()) + this.#timeouts.watchEveryMs;
    const waitMs = await this.#request(socket, watched);
    if (socket !== this.#sending) return;
    this.#sending = undefined;
    if (socket === this.#live()) this.#sendSoon(waitMs);
  }

  /** @returns how long to wait before the next list, which is the newest one by then */
  async #request(socket: Socket, watched: Set<string>): Promise<number> {
    try {
      const states = await socket.request<PresenceState[]>({ type: 'watch', userIds: [...watched] });
      if (socket !== this.#live()) return 0;
      this.#sent = watched;
      for (const id of this.#states.keys()) if (!watched.has(id)) this.#states.delete(id);
      this.update(states);
      return 0;
    } catch (error) {
      if (!(error instanceof DoormanError)) throw error;
      if (socket !== this.#live()) return 0;
      // Over the limit: the service still has the previous list. After a fault it has none. Else it would refuse this one again.
      if (error.code === 429) return this.#timeouts.limitWindowMs;
      this.#sent = error.code > 429 ? new Set() : watched;
      return RETRY_MS;
    }
  }

  #latest(): Set<string> {
    const isPossible = (id: string) => id !== '' && id.length <= MAX_ID_LENGTH && !hasBadText(id);
    const ids = [...this.#watched.keys()].filter(isPossible);
    return new Set(ids.slice(-MAX_WATCHED));
  }
}
