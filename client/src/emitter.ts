type Entry<Data> = { readonly listener: (data: Data) => void };

/** Calls listeners by event, in the order in which they were added. An error of a listener is reported and stops no other. */
export class Emitter<Events extends object> {
  readonly #entries: { [E in keyof Events]?: Set<Entry<Events[E]>> } = {};

  /** The same function may listen more than once. @returns removes this listener */
  on<E extends keyof Events>(event: E, listener: (data: Events[E]) => void): () => void {
    const entry = { listener };
    this.#entries[event] ??= new Set<Entry<Events[E]>>();
    this.#entries[event].add(entry);
    return () => {
      this.#entries[event]?.delete(entry);
    };
  }

  emit<E extends keyof Events>(event: E, data: Events[E]): void {
    for (const { listener } of [...(this.#entries[event] ?? [])]) {
      try {
        listener(data);
      } catch (error) {
        report(error);
      }
    }
  }
}

function report(error: unknown): void {
  if (typeof reportError === 'function') reportError(error);
  else
    queueMicrotask(() => {
      throw error;
    });
}
