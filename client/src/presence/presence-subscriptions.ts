import { hasBadText } from '../bad-text.ts';
import type { Link } from '../connection/socket.ts';
import type { Emitter } from '../emitter.ts';
import { DoormanError } from '../errors.ts';
import type { DoormanEvents } from '../events.ts';
import type { Timeouts } from '../timeouts.ts';
import type { PresenceState } from '../wire.ts';

/** How many people one connection may watch, and how long an id may be (docs/protocol.md, `watch`). */
const MAX_WATCHED = 500;
const MAX_ID_LENGTH = 100;
const AGAIN_MS = 5_000;
/** Changes that are sent without a wait between them. With `watchEveryMs` it makes at most 9 frames in 10 s. */
const BURST = 3;

type WatchTimes = Pick<Timeouts, 'watchMs' | 'watchEveryMs' | 'limitWindowMs'>;

/** How people appear whom somebody wants to see, and who that is: all that was asked for, by whomever. */
export class Watching {
  readonly #times: WatchTimes;
  readonly #emitter: Emitter<DoormanEvents>;
  readonly #live: () => Link | undefined;
  /** How often each was asked for, who was asked for last at the end. */
  readonly #wanted = new Map<string, number>();
  #sights = new Map<string, PresenceState>();
  /** The list that the service has on this connection. */
  #sent = new Set<string>();
  /** The connection on which a list is on its way; one at a time. */
  #sending: Link | undefined;
  /** When the frames of this connection would be sent if they were `watchEveryMs` apart, by the monotonic clock. */
  #pacedTo = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(times: WatchTimes, emitter: Emitter<DoormanEvents>, live: () => Link | undefined) {
    this.#times = times;
    this.#emitter = emitter;
    this.#live = live;
  }

  watch(userIds: readonly string[]): () => void {
    const ids = new Set(userIds);
    for (const id of ids) {
      const count = this.#wanted.get(id) ?? 0;
      this.#wanted.delete(id);
      this.#wanted.set(id, count + 1);
    }
    this.#sendSoon();
    return () => {
      for (const id of ids) {
        const count = this.#wanted.get(id) ?? 0;
        if (count > 1) this.#wanted.set(id, count - 1);
        else this.#wanted.delete(id);
      }
      ids.clear();
      this.#sendSoon();
    };
  }

  sight(userId: string): PresenceState | undefined {
    return this.#wanted.has(userId) ? this.#sights.get(userId) : undefined;
  }

  /** The connection is live. */
  entered(): void {
    this.#sent = new Set();
    this.#pacedTo = 0;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sendSoon(0);
  }

  /** Another person. */
  forget(): void {
    this.#sights = new Map();
  }

  /** What the service said of these people. */
  learn(users: readonly PresenceState[]): void {
    const news = users.filter((sight) => {
      const known = this.#sights.get(sight.id);
      return (
        this.#wanted.has(sight.id) &&
        !(
          known &&
          known.online === sight.online &&
          known.idle === sight.idle &&
          known.lastSeen === sight.lastSeen
        )
      );
    });
    for (const sight of news) this.#sights.set(sight.id, sight);
    if (news.length > 0) this.#emitter.emit('presence', news);
  }

  /** Whom the user blocks he sees offline, as if never seen; the service says nothing more of him. */
  hide(userId: string): void {
    if (this.#sights.has(userId)) this.learn([{ id: userId, online: 0, idle: 0, lastSeen: 0 }]);
  }

  #sendSoon(ms = this.#times.watchMs): void {
    const paceMs = this.#pacedTo - (BURST - 1) * this.#times.watchEveryMs - performance.now();
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        void this.#send();
      },
      Math.max(ms, paceMs),
    );
  }

  async #send(): Promise<void> {
    const link = this.#live();
    if (!link || this.#sending === link) return;
    const wanted = this.#latest();
    if (wanted.size === this.#sent.size && [...wanted].every((id) => this.#sent.has(id))) return;
    this.#sending = link;
    this.#pacedTo = Math.max(this.#pacedTo, performance.now()) + this.#times.watchEveryMs;
    const waitMs = await this.#request(link, wanted);
    if (link !== this.#sending) return;
    this.#sending = undefined;
    if (link === this.#live()) this.#sendSoon(waitMs);
  }

  /** @returns how long to wait before the next list; the newest one counts then */
  async #request(link: Link, wanted: Set<string>): Promise<number> {
    try {
      const sights = await link.request<PresenceState[]>({ type: 'watch', userIds: [...wanted] });
      if (link !== this.#live()) return 0;
      this.#sent = wanted;
      for (const id of this.#sights.keys()) if (!wanted.has(id)) this.#sights.delete(id);
      this.learn(sights);
      return 0;
    } catch (error) {
      if (!(error instanceof DoormanError)) throw error;
      if (link !== this.#live()) return 0;
      // Refused as too many: the service still has the list before. After a fault it has none. Else it would refuse it again.
      if (error.code === 429) return this.#times.limitWindowMs;
      this.#sent = error.code > 429 ? new Set() : wanted;
      return AGAIN_MS;
    }
  }

  #latest(): Set<string> {
    const isPossible = (id: string) => id !== '' && id.length <= MAX_ID_LENGTH && !hasBadText(id);
    const ids = [...this.#wanted.keys()].filter(isPossible);
    return new Set(ids.slice(-MAX_WATCHED));
  }
}
