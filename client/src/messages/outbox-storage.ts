import type { Outgoing } from '../events.ts';
import type { DoormanStorage } from '../storage/storage.ts';

/** One user's messages that the service has not stored yet, in the device's storage. */
export class OutboxStorage {
  readonly #storage: DoormanStorage;
  readonly #prefix: string;
  /** The keys of messages that an earlier version of the kit stored by their `cid` alone. */
  readonly #oldKeys = new Map<string, string>();

  constructor(storage: DoormanStorage, userId: string) {
    this.#storage = storage;
    this.#prefix = `outgoing/${userId}/`;
  }

  /** In the order in which they were written. */
  async all(): Promise<Outgoing[]> {
    const stored = (await this.#storage.all(this.#prefix)) as [string, Outgoing][]; // written by this file only
    for (const [key, outgoing] of stored) {
      const ownKey = this.#keyOf(outgoing);
      if (key !== ownKey) this.#oldKeys.set(ownKey, key);
    }
    return stored.map(([, outgoing]) => outgoing).sort((a, b) => a.writtenAt - b.writtenAt);
  }

  /** A message that is being sent is stored as `waiting`, which it is after a reload. */
  save(outgoing: Outgoing): Promise<void> {
    const state = outgoing.state === 'refused' ? 'refused' : 'waiting';
    const key = this.#keyOf(outgoing);
    return this.#storage.set(this.#oldKeys.get(key) ?? key, { ...outgoing, state } satisfies Outgoing);
  }

  async delete(outgoing: Outgoing): Promise<void> {
    const key = this.#keyOf(outgoing);
    const oldKey = this.#oldKeys.get(key);
    await this.#storage.delete(key);
    if (oldKey !== undefined) await this.#storage.delete(oldKey);
  }

  #keyOf({ to, cid }: Outgoing): string {
    return `${this.#prefix}${to}/${cid}`;
  }
}
