import { KeyedStore } from '../../../data/keyed-store.ts';
import type { Readable } from '../../../data/store.ts';
import type { PersistedDraft } from './persisted-shapes.ts';

/** More than a message may have: a bound for what is pasted, as drafts are stored on the device. */
const MAX_LENGTH = 20_000;

/** The text that the user is writing to a peer; stored on the device until it is sent. */
interface Draft extends Readable<string> {
  set(text: string): void;
}

export class Drafts {
  readonly #texts = new Map<string, string>();
  readonly #views = new KeyedStore<string>({ view: (peer) => this.#texts.get(peer) ?? '' });
  readonly #onChange: (peer: string) => void;

  constructor(onChange: (peer: string) => void) {
    this.#onChange = onChange;
  }

  of(peer: string): Draft {
    return {
      getSnapshot: () => this.#views.of(peer).getSnapshot(),
      subscribe: (listener) => this.#views.of(peer).subscribe(listener),
      set: (text) => this.set(peer, text),
    };
  }

  set(peer: string, text: string): void {
    if (text === '') this.#texts.delete(peer);
    else this.#texts.set(peer, text.slice(0, MAX_LENGTH));
    this.#views.refresh(peer);
    this.#onChange(peer);
  }

  toPersisted(peer: string): PersistedDraft | undefined {
    const text = this.#texts.get(peer);
    return text === undefined ? undefined : { peer, text };
  }

  /** Sets the stored drafts, except where the user has begun another one since. */
  restore(drafts: readonly PersistedDraft[]): void {
    for (const { peer, text } of drafts) {
      if (!this.#texts.has(peer)) this.#texts.set(peer, text);
      this.#views.refresh(peer);
    }
  }

  clear(): void {
    this.#texts.clear();
    this.#views.refreshAll();
  }
}
