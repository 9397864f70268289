import type { DoormanEvent, DoormanEvents } from './events.ts';

type Listener<E extends DoormanEvent> = (told: DoormanEvents[E]) => void;

/** Who wants to hear of what. A listener that throws harms nobody else; its error is reported as one of its own. */
export class Listeners {
  readonly #of: { [E in DoormanEvent]?: Set<{ readonly hear: Listener<E> }> } = {};

  /** The same function may listen more than once; what is returned ends this time only. */
  on<E extends DoormanEvent>(event: E, hear: Listener<E>): () => void {
    // Spelt out, because TypeScript does not see that a mapped type's member takes what was made for it.
    const listeners: Set<{ readonly hear: Listener<E> }> = this.#of[event] ?? new Set();
    (this.#of as Record<E, typeof listeners>)[event] = listeners;
    const entry = { hear };
    listeners.add(entry);
    return () => {
      listeners.delete(entry);
    };
  }

  tell<E extends DoormanEvent>(event: E, told: DoormanEvents[E]): void {
    const listeners: Iterable<{ readonly hear: Listener<E> }> = this.#of[event] ?? [];
    for (const { hear } of [...listeners]) {
      try {
        hear(told);
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
