import type { Outgoing } from '../events.ts';
import type { KitStorage } from '../storage/storage.ts';

/** One user's messages that the service has not stored yet, in the device's storage. */
export class OutboxStorage {
  readonly #storage: KitStorage;
  readonly #prefix: string;
  /** The keys of messages that an earlier version of the kit stored by their `cid` alone. */
  readonly #oldKeys = new Map<string, string>();

  constructor(storage: KitStorage, userId: string) {
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

  /**
   * A message that is being sent is stored as `waiting`, which it is after a reload.
   *
   * @param draftKey removed in the same transaction, where the storage has transactions
   */
  save(outgoing: Outgoing, draftKey?: string): Promise<void> {
    const state = outgoing.state === 'refused' ? 'refused' : 'waiting';
    const key = this.#keyOf(outgoing);
    const storedAt = this.#oldKeys.get(key) ?? key;
    const stored: Outgoing = { ...outgoing, state };
    if (draftKey === undefined) return this.#storage.set(storedAt, stored);
    return this.#storage.write([
      [storedAt, stored],
      [draftKey, undefined],
    ]);
  }

  async has(outgoing: Outgoing): Promise<boolean> {
    const key = this.#keyOf(outgoing);
    return (await this.#storage.get(this.#oldKeys.get(key) ?? key)) !== undefined;
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
