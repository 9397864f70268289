import type { Doorman, Message, MessageChange } from 'doorman-client';
import { reactionOf } from './message-changes.ts';

/** The user's changes of messages that no event has confirmed: those that wait, refused ones, and stored ones whose event has not come. */
export class PendingChanges {
  readonly #doorman: Doorman;
  /** Refused, or stored but without their event. */
  #held: readonly MessageChange[] = [];

  constructor(doorman: Doorman) {
    this.#doorman = doorman;
  }

  /** In the order in which they were made. */
  of(peer: string): readonly MessageChange[] {
    return [...this.#held, ...this.#doorman.changes()].filter((one) => one.peer === peer);
  }

  /** Takes the new state of a change. @param message as it is known; absent if it is not loaded */
  update(change: MessageChange, message: Message | undefined): void {
    this.#drop((one) => one.kind === change.kind && isOfOne(one, change));
    const { state, kind, body, emoji = '' } = change;
    const isShown =
      !message ||
      message.unsentAt !== undefined ||
      (kind === 'edit' && message.body === body) ||
      (kind === 'react' && reactionOf(message, this.#doorman.session?.userId ?? '') === emoji);
    if (state === 'refused' || (state === 'stored' && !isShown)) this.#held = [...this.#held, change];
  }

  /** An event has changed a message. */
  onEvent(peer: string, n: number, by: string): void {
    this.#drop((one) => one.state === 'stored' && by !== peer && isOfOne(one, { peer, n }));
  }

  /** The user has seen that it was refused. */
  dismiss(change: MessageChange): void {
    this.#drop((one) => one === change);
  }

  /** After a full sync. */
  onSnapshot(): void {
    this.#drop(({ state }) => state === 'stored');
  }

  clear(): void {
    this.#held = [];
  }

  #drop(isOver: (one: MessageChange) => boolean): void {
    this.#held = this.#held.filter((one) => !isOver(one));
  }
}

function isOfOne(one: MessageChange, { peer, n, cid }: Pick<MessageChange, 'peer' | 'n' | 'cid'>): boolean {
  return one.peer === peer && (n === undefined ? one.cid === cid : one.n === n);
}
