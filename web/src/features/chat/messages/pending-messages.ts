import type { Doorman, MessageEvent, Outgoing } from 'doorman-client';

/** A message of the user that no event has confirmed. */
export type PendingMessage = Outgoing & { readonly state: Exclude<Outgoing['state'], 'discarded'> };

const NONE: readonly PendingMessage[] = [];

/** The user's pending messages by peer: those that are not stored, and stored ones whose event has not come. */
export class PendingMessages {
  readonly #doorman: Doorman;
  /** Stored, but without their event. */
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

  /** Takes the new state of a message. @param head the conversation's last message by the events */
  update(outgoing: Outgoing, head: number): void {
    const { to, cid, n = 0 } = outgoing;
    if (isPending(outgoing) && outgoing.state === 'stored' && n > head)
      this.#stored.set(to, [...(this.#stored.get(to) ?? []).filter((one) => one.cid !== cid), outgoing]);
    this.read();
  }

  /** The event of a stored message has come. */
  onMessage({ peer, cid, from }: MessageEvent): void {
    if (from === peer) return;
    const left = this.#stored.get(peer)?.filter((one) => one.cid !== cid);
    if (left && left.length > 0) this.#stored.set(peer, left);
    else this.#stored.delete(peer);
  }

  /** After a full sync. */
  onSnapshot(): void {
    this.#stored.clear();
    this.read();
  }

  /** Reads the messages that are not stored from the kit. */
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
