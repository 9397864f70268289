import type { Outgoing } from './events.ts';
import type { DoormanStorage } from './storage.ts';

/** What one person has written that is not stored by the service yet, as it is kept on this device. */
export class OutgoingShelf {
  readonly #storage: DoormanStorage;
  readonly #prefix: string;

  constructor(storage: DoormanStorage, userId: string) {
    this.#storage = storage;
    this.#prefix = `outgoing/${userId}/`;
  }

  /** In the order in which they were written. */
  async all(): Promise<Outgoing[]> {
    const kept = await this.#storage.all(this.#prefix);
    // Written by this file alone.
    return kept.map(([, value]) => value as Outgoing).sort((a, b) => a.writtenAt - b.writtenAt);
  }

  /** Whether one was on its way is not kept: after a reload it waits. */
  keep(outgoing: Outgoing): Promise<void> {
    const state = outgoing.state === 'refused' ? 'refused' : 'waiting';
    return this.#storage.set(this.#prefix + outgoing.cid, { ...outgoing, state } satisfies Outgoing);
  }

  forget(cid: string): Promise<void> {
    return this.#storage.delete(this.#prefix + cid);
  }
}
