import type { Outgoing } from '../events.ts';
import type { DoormanStorage } from '../storage/storage.ts';

/** What one person has written that is not stored by the service yet, as it is kept on this device. */
export class OutgoingShelf {
  readonly #storage: DoormanStorage;
  readonly #prefix: string;
  /** Where a message lies that an earlier version of the kit kept, by its `cid` alone. */
  readonly #oldKeys = new Map<string, string>();

  constructor(storage: DoormanStorage, userId: string) {
    this.#storage = storage;
    this.#prefix = `outgoing/${userId}/`;
  }

  /** In the order in which they were written. */
  async all(): Promise<Outgoing[]> {
    const kept = (await this.#storage.all(this.#prefix)) as [string, Outgoing][]; // written by this file alone
    for (const [key, outgoing] of kept) {
      const ownKey = this.#keyOf(outgoing);
      if (key !== ownKey) this.#oldKeys.set(ownKey, key);
    }
    return kept.map(([, outgoing]) => outgoing).sort((a, b) => a.writtenAt - b.writtenAt);
  }

  /** Whether one was on its way is not kept: after a reload it waits. */
  keep(outgoing: Outgoing): Promise<void> {
    const state = outgoing.state === 'refused' ? 'refused' : 'waiting';
    const key = this.#keyOf(outgoing);
    return this.#storage.set(this.#oldKeys.get(key) ?? key, { ...outgoing, state } satisfies Outgoing);
  }

  async forget(outgoing: Outgoing): Promise<void> {
    const key = this.#keyOf(outgoing);
    const oldKey = this.#oldKeys.get(key);
    await this.#storage.delete(key);
    if (oldKey !== undefined) await this.#storage.delete(oldKey);
  }

  #keyOf({ to, cid }: Outgoing): string {
    return `${this.#prefix}${to}/${cid}`;
  }
}
