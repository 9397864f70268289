import { Multimap } from '../collections/multimap.ts';
import type { Shape } from './node-messages.ts';

export type Listener<Data> = (from: string, data: Data) => void;

/** Who listens to messages of each type, and the shape of its data. */
export class MessageHandlers {
  readonly #byType = new Multimap<string, { shape: Shape<unknown>; listener: Listener<unknown> }>();

  add<Data>(type: string, shape: Shape<Data>, listener: Listener<Data>): void {
    // Its shape is checked before it is called.
    this.#byType.add(type, { shape, listener: listener as Listener<unknown> });
  }

  accept(type: string, data: unknown): boolean {
    return [...this.#byType.get(type)].every(({ shape }) => shape.Check(data));
  }

  /** @param data which was accepted */
  call(type: string, from: string, data: unknown): void {
    for (const { listener } of this.#byType.get(type)) listener(from, data);
  }
}
