const PREFIX = 'doorman-previews-';
const MAX_PREVIEWS = 400;
/** As large as the service accepts them; a picture without one is not kept. */
const MAX_BYTES = 32 * 1024;

/** The message that has a picture. */
export interface PicturePlace {
  readonly peer: string;
  readonly n: number;
  readonly id: string;
}

/**
 * The previews of pictures on this device, of the signed-in user alone. The service lets no HTTP cache keep them, as what was unsent has to
 * go. Where the browser has no caches, as on an address without https, none are kept.
 */
export class PreviewCache {
  #name: string | undefined;
  /** Counts what was removed: what was loaded before is not added afterwards. */
  #removals = 0;

  /** Removes the previews of all other users. @param userId absent: no user is signed in */
  async open(userId: string | undefined): Promise<void> {
    this.#removals++;
    this.#name = userId === undefined ? undefined : PREFIX + encodeURIComponent(userId);
    await attempt(async (all) => {
      for (const name of await all.keys())
        if (name.startsWith(PREFIX) && name !== this.#name) await all.delete(name);
    });
  }

  async get(place: PicturePlace): Promise<Blob | undefined> {
    const found = await this.#with((cache) => cache.match(pathOf(place)));
    return found?.blob();
  }

  /** Loads a preview and keeps it, unless messages were unsent or deleted meanwhile. */
  async keep(place: PicturePlace, load: () => Promise<Blob>): Promise<Blob> {
    const before = this.#removals;
    const preview = await load();
    if (preview.size <= MAX_BYTES) void this.#put(place, preview, before);
    return preview;
  }

  /** Messages of a conversation were unsent or deleted, on any device. @param isGone left out: all of them */
  async forget(peer: string, isGone: (n: number) => boolean = () => true): Promise<void> {
    this.#removals++;
    const prefix = pathOf({ peer });
    await this.#with(async (cache) => {
      for (const request of await cache.keys()) {
        const { pathname } = new URL(request.url);
        if (pathname.startsWith(prefix) && isGone(Number.parseInt(pathname.slice(prefix.length), 10)))
          await cache.delete(request);
      }
    });
  }

  /** @param before how many removals there were when it was loaded */
  async #put(place: PicturePlace, preview: Blob, before: number): Promise<void> {
    const name = this.#name;
    if (before !== this.#removals) return;
    await this.#with(async (cache) => {
      await cache.put(pathOf(place), new Response(preview));
      const kept = await cache.keys();
      for (const oldest of kept.slice(0, Math.max(0, kept.length - MAX_PREVIEWS))) await cache.delete(oldest);
      if (before !== this.#removals) await cache.delete(pathOf(place));
    });
    // The user has signed out meanwhile, and the cache was made again.
    if (name !== undefined && name !== this.#name) await attempt((all) => all.delete(name));
  }

  async #with<T>(act: (cache: Cache) => Promise<T>): Promise<T | undefined> {
    const name = this.#name;
    return name === undefined ? undefined : attempt(async (all) => act(await all.open(name)));
  }
}

/** Some browsers refuse their caches in private windows; a full disk refuses what is added. */
async function attempt<T>(act: (all: CacheStorage) => Promise<T>): Promise<T | undefined> {
  if (typeof caches === 'undefined') return undefined;
  try {
    return await act(caches);
  } catch (error) {
    console.warn('A preview could not be kept:', error);
    return undefined;
  }
}

/** Where a preview is in the cache; no request has such a path. */
function pathOf({ peer, n, id }: Pick<PicturePlace, 'peer'> & Partial<PicturePlace>): string {
  const start = `/previews/${encodeURIComponent(peer)}/`;
  return n === undefined ? start : `${start}${n}/${id}`;
}
