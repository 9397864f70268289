import { useReadable } from '../../data/hooks.ts';
import { KeyedStore } from '../../data/keyed-store.ts';
import type { Readable } from '../../data/store.ts';
import type { ConnectionView } from '../../data/views.ts';

/** Beyond this number the address that failed first is forgotten. */
const MAX_ADDRESSES = 5_000;

/**
 * The addresses from which no picture came since the page was loaded. They are not requested again, unless they failed while
 * there was no network.
 */
export class FailedPictures {
  /** Whether each address failed without a network. */
  readonly #addresses = new Map<string, boolean>();
  readonly #views = new KeyedStore({ view: (address) => this.#addresses.has(address) });
  readonly #isOnline: () => boolean;
  #state: ConnectionView['state'] = 'connecting';
  /** A try to connect has failed since the connection was live. */
  #isCutOff = false;

  /** @param isOnline whether the browser has a network */
  constructor(isOnline = () => navigator.onLine) {
    this.#isOnline = isOnline;
  }

  /** Whether this address has failed. */
  of(address: string): Readable<boolean> {
    return this.#views.of(address);
  }

  add(address: string): void {
    this.#addresses.set(address, this.#state !== 'live' || !this.#isOnline());
    this.#views.refresh(address);
    const [first] = this.#addresses.keys();
    if (this.#addresses.size > MAX_ADDRESSES && first !== undefined) this.#addresses.delete(first);
  }

  /** The network is back: what failed without it can be requested again. */
  retry(): void {
    for (const [address, isWithoutNetwork] of this.#addresses)
      if (isWithoutNetwork) this.#addresses.delete(address);
    this.#views.refreshAll();
  }

  /** The connection to the service tells more about the network than the browser does. */
  onConnection(state: ConnectionView['state']): void {
    this.#state = state;
    if (state === 'waiting') this.#isCutOff = true;
    if (state !== 'live') return;
    if (this.#isCutOff) this.retry();
    // There was a network while the page connected at its start.
    else for (const address of this.#addresses.keys()) this.#addresses.set(address, false);
    this.#isCutOff = false;
  }
}

export const failedPictures = new FailedPictures();

export function useHasFailed(address: string | undefined): boolean {
  return useReadable(failedPictures.of(address ?? ''));
}

/** To be called once. */
export function retryPicturesOnReturn(connection: Readable<ConnectionView>): void {
  connection.subscribe(() => failedPictures.onConnection(connection.getSnapshot().state));
  window.addEventListener('online', () => failedPictures.retry());
}
