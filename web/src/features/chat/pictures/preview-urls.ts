import { DoormanError } from 'doorman-client';
import { useStores } from '../../../data/hooks.ts';
import type { PicturePlace } from '../../../data/preview-cache.ts';
import type { BaseStores } from '../../../data/stores.ts';
import { isOwnPreview, type PictureFacts } from './prepare-picture.ts';

/** What was shown last is shown again without waiting, as when the user scrolls back. */
const MAX_SHOWN = 80;

interface Shown {
  readonly url: string;
  readonly preview: Blob;
  /** Absent for a message that is not stored. */
  readonly place: PicturePlace | undefined;
}

/** The previews that the page shows, as addresses of this document (`blob:`): no others load them, as each load needs the token. */
class PreviewUrls {
  readonly #stores: BaseStores;
  /** By the id of the picture, or the `cid` of a message that is not stored; the latest at the end. */
  readonly #shown = new Map<string, Shown>();
  readonly #loading = new Map<string, Promise<string | undefined>>();

  constructor(stores: BaseStores) {
    this.#stores = stores;
    const { doorman } = stores;
    doorman.on('session', () => this.#drop(() => true));
    doorman.on('unsent', ({ peer, n }) => this.#drop(({ place }) => place?.peer === peer && place.n === n));
    doorman.on('conversation', ({ peer, clearedN }) =>
      this.#drop(({ place }) => place?.peer === peer && place.n <= clearedN),
    );
  }

  /** @param cid of the message, if it is the user's */
  find(id: string | undefined, cid: string | undefined): string | undefined {
    const shown = this.#shown.get(id ?? '') ?? this.#shown.get(keyOf(cid ?? ''));
    return shown?.url;
  }

  /** @throws {DoormanError} */
  load(place: PicturePlace, picture: PictureFacts): Promise<string | undefined> {
    const { previews } = this.#stores;
    return this.#once(place.id, place, async () => {
      const kept = await previews.get(place);
      return kept ?? previews.keep(place, () => this.#request(place.id, picture));
    });
  }

  /** Of a message that waits. @returns `undefined` if the service has just stored it */
  loadOutgoing(peer: string, cid: string): Promise<string | undefined> {
    return this.#once(keyOf(cid), undefined, async () => {
      const outgoing = await this.#stores.doorman.outgoingPicture(cid, peer);
      return outgoing?.preview ?? outgoing?.blob;
    });
  }

  /** The message is stored: what was shown of it need not be loaded. */
  adopt(place: PicturePlace, cid: string): void {
    const shown = this.#shown.get(keyOf(cid));
    if (!shown || this.#shown.has(place.id)) return;
    this.#shown.delete(keyOf(cid));
    this.#shown.set(place.id, { ...shown, place });
    void this.#stores.previews.keep(place, async () => shown.preview);
  }

  async #request(id: string, picture: PictureFacts): Promise<Blob> {
    const { api } = this.#stores.doorman;
    if (isOwnPreview(picture)) return api.picture(id);
    try {
      return await api.picturePreview(id);
    } catch (error) {
      if (!(error instanceof DoormanError && error.code === 404)) throw error;
      return api.picture(id);
    }
  }

  #once(
    key: string,
    place: PicturePlace | undefined,
    load: () => Promise<Blob | undefined>,
  ): Promise<string | undefined> {
    const running = this.#loading.get(key);
    if (running) return running;
    const own = this.#stores.doorman.session?.userId;
    const loading = load()
      .then((preview) => {
        if (!preview || own !== this.#stores.doorman.session?.userId) return undefined;
        const url = URL.createObjectURL(preview);
        this.#shown.set(key, { url, preview, place });
        const [oldest] = this.#shown.keys();
        if (this.#shown.size > MAX_SHOWN) this.#drop((_, one) => one === oldest);
        return url;
      })
      .finally(() => this.#loading.delete(key));
    this.#loading.set(key, loading);
    return loading;
  }

  #drop(isOver: (shown: Shown, key: string) => boolean): void {
    for (const [key, shown] of this.#shown) {
      if (!isOver(shown, key)) continue;
      this.#shown.delete(key);
      // What is on the screen stays.
      URL.revokeObjectURL(shown.url);
    }
  }
}

const all = new WeakMap<BaseStores, PreviewUrls>();

export function usePreviewUrls(): PreviewUrls {
  const stores = useStores();
  const urls = all.get(stores) ?? new PreviewUrls(stores);
  all.set(stores, urls);
  return urls;
}

/** No id of a picture begins so. */
function keyOf(cid: string): string {
  return `own ${cid}`;
}
