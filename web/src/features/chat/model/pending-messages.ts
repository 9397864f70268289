import type { Doorman, MessageEvent, Outgoing } from 'doorman-client';

/** A message of one's own that the log has not told of. */
export type PendingMessage = Outgoing & { readonly state: Exclude<Outgoing['state'], 'discarded'> };

const NONE: readonly PendingMessage[] = [];

/** The user's own messages that are on their way, by peer: those that are not stored, and those the log has not told yet. */
export class PendingMessages {
  readonly #doorman: Doorman;
  /** Stored, but not heard of from the log yet. */
  readonly #stored = new Map<string, readonly PendingMessage[]>();
  #unsent = new Map<string, readonly PendingMessage[]>();

  constructor(doorman: Doorman) {
    this.#doorman = doorman;
  }

  /** In the order they were written. */
  of(peer: string): readonly PendingMessage[] {
    const stored = this.#stored.get(peer);
    const unsent = this.#unsent.get(peer) ?? NONE;
    return stored ? [...stored, ...unsent] : unsent;
  }

  peers(): string[] {
    return [...new Set([...this.#stored.keys(), ...this.#unsent.keys()])];
  }

  /** @param head the last message of that conversation that the log told of */
  note(outgoing: Outgoing, head: number): void {
    const { to, cid, n = 0 } = outgoing;
    if (isPending(outgoing) && outgoing.state === 'stored' && n > head)
      this.#stored.set(to, [...(this.#stored.get(to) ?? []).filter((one) => one.cid !== cid), outgoing]);
    this.read();
  }

  /** The log told of a message. */
  onMessage({ peer, cid, from }: MessageEvent): void {
    if (from === peer) return;
    const left = this.#stored.get(peer)?.filter((one) => one.cid !== cid);
    if (left && left.length > 0) this.#stored.set(peer, left);
    else this.#stored.delete(peer);
  }

  /** Everything anew. */
  onSnapshot(): void {
    this.#stored.clear();
    this.read();
  }

  /** What is not stored, as the kit has it now. */
  read(): void {
    this.#unsent = Map.groupBy(this.#doorman.outgoing().filter(isPending), ({ to }) => to);
  }

  clear(): void {
    this.#stored.clear();
    this.#unsent.clear();
  }
}

function isPending(outgoing: Outgoing): outgoing is PendingMessage {
  return outgoing.state !== 'discarded';
}
