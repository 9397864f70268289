import { DoormanError } from './errors.ts';
import type { Link } from './link.ts';
import type { Sight } from './wire.ts';

/** How many people one connection may watch, and how long an id may be (docs/protocol.md, `watch`). */
const MAX_WATCHED = 500;
const MAX_ID_LENGTH = 100;
const AGAIN_MS = 5_000;

export interface WatchingHost {
  readonly watchMs: number;
  live(): Link | undefined;
  told(sights: Sight[]): void;
}

/** How people appear whom somebody wants to see, and who that is: all that was asked for, by whomever. */
export class Watching {
  readonly #host: WatchingHost;
  /** How often each was asked for, who was asked for last at the end. */
  readonly #wanted = new Map<string, number>();
  #sights = new Map<string, Sight>();
  /** Who was told to the service on this connection. */
  #sent = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: WatchingHost) {
    this.#host = host;
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

  sight(userId: string): Sight | undefined {
    return this.#sights.get(userId);
  }

  /** The connection is live. */
  entered(): void {
    this.#sent = new Set();
    this.#sendSoon(0);
  }

  /** Another person. */
  forget(): void {
    this.#sights = new Map();
  }

  /** What the service said of these people. */
  learn(users: readonly Sight[]): void {
    const news = users.filter((sight) => {
      const known = this.#sights.get(sight.id);
      return (
        this.#sent.has(sight.id) &&
        !(
          known &&
          known.online === sight.online &&
          known.idle === sight.idle &&
          known.lastSeen === sight.lastSeen
        )
      );
    });
    for (const sight of news) this.#sights.set(sight.id, sight);
    if (news.length > 0) this.#host.told(news);
  }

  /** Whom the user blocks he sees offline, as if never seen; the service says nothing more of him. */
  hide(userId: string): void {
    if (this.#sights.has(userId)) this.learn([{ id: userId, online: 0, idle: 0, lastSeen: 0 }]);
  }

  #sendSoon(ms = this.#host.watchMs): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#send();
    }, ms);
  }

  async #send(): Promise<void> {
    const link = this.#host.live();
    if (!link) return;
    const wanted = this.#latest();
    if (wanted.size === this.#sent.size && [...wanted].every((id) => this.#sent.has(id))) return;
    this.#sent = wanted;
    for (const id of this.#sights.keys()) if (!wanted.has(id)) this.#sights.delete(id);
    try {
      const sights = await link.request<Sight[]>({ type: 'watch', userIds: [...wanted] });
      if (link === this.#host.live()) this.learn(sights);
    } catch (error) {
      if (!(error instanceof DoormanError)) throw error;
      // Broken off: the next connection begins anew. The service is in trouble: it is asked again.
      if (error.code < 429 || link !== this.#host.live()) return;
      this.#sent = new Set();
      this.#sendSoon(AGAIN_MS);
    }
  }

  #latest(): Set<string> {
    const ids = [...this.#wanted.keys()].filter((id) => id !== '' && id.length <= MAX_ID_LENGTH);
    return new Set(ids.slice(-MAX_WATCHED));
  }
}
