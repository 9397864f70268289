import { badText, hasBadText } from '../bad-text.ts';
import type { DoormanError } from '../errors.ts';
import type { MessageChange, OwnMessage } from '../events.ts';
import { type Entry, type MessageEntry, setWaiting } from './outbox-entries.ts';
import type { OutboxState } from './outbox-state.ts';
import { messageNotFound, signedOut } from './own-refusals.ts';
import type { SendQueue } from './send-queue.ts';

type Made = Pick<MessageChange, 'peer' | 'kind' | 'body' | 'emoji'>;

/**
 * The changes of messages that the service has not stored yet. One of a message that was never sent is applied to the message itself; one
 * of a message that may have been sent waits for its number.
 */
export class Changes {
  readonly #state: OutboxState;
  readonly #queue: SendQueue;

  constructor(state: OutboxState, queue: SendQueue) {
    this.#state = state;
    this.#queue = queue;
  }

  all(): MessageChange[] {
    return this.#state.entries.changes().map(({ change }) => change);
  }

  /** @param message an own message, or for a reaction any, then by its number */
  make(made: Made, message: OwnMessage): void {
    const state = this.#state;
    const change: MessageChange = {
      ...made,
      ...this.#nameOf(made.peer, message),
      writtenAt: state.nextTime(),
      state: 'waiting',
    };
    if (!state.isOpen) state.emitChange(refused(change, signedOut()));
    else if (hasBadText(change)) state.emitChange(refused(change, badText()));
    else if (change.n === undefined && !state.entries.ofChange(change))
      state.emitChange(refused(change, messageNotFound()));
    else {
      state.postChange(change);
      this.#take(change, true);
    }
  }

  /** A change was made, or ended, in another tab of this user. */
  onTabChange(change: MessageChange): void {
    const { kind, state, error, writtenAt } = change;
    const { entries } = this.#state;
    if (state === 'waiting') {
      if (change.n !== undefined || entries.ofChange(change)) this.#take(change, false);
      return;
    }
    const ended = entries
      .replacedBy(change)
      .find((one) => one.change.kind === kind && one.change.writtenAt === writtenAt);
    if (ended) this.#state.endChange(ended, { state, ...(error !== undefined && { error }) });
    this.#queue.send();
  }

  /** @param isOwn it was made in this tab, which stores it on the device */
  #take(change: MessageChange, isOwn: boolean): void {
    const state = this.#state;
    const message = state.entries.ofChange(change);
    if (message && !message.isTried) {
      this.#apply(change, message, isOwn);
      return;
    }
    for (const replaced of state.entries.replacedBy(change)) {
      if (replaced.change.kind !== change.kind) state.endChange(replaced, { state: 'discarded' });
      else {
        state.entries.delete(replaced);
        // Else the storage has both at one place.
        if (replaced.change.cid !== change.cid) void state.forget(replaced);
      }
    }
    const entry = state.entries.addChange(change);
    state.emitChange(change);
    // The other tab may take the message for one that was never sent.
    this.#sendSoon(entry, isOwn || message !== undefined);
  }

  /** Changes a message that was never sent. */
  #apply({ kind, body = '' }: MessageChange, message: MessageEntry, isOwn: boolean): void {
    if (kind === 'unsend') {
      this.#state.discard(message);
      if (isOwn) void this.#state.forget(message);
      this.#queue.send();
      return;
    }
    if (message.outgoing.state === 'refused') setWaiting(message);
    this.#state.change(message, { body });
    this.#sendSoon(message, isOwn);
  }

  #sendSoon(entry: Entry, isOwn: boolean): void {
    if (isOwn) this.#queue.saveThenSend(entry);
    else this.#queue.sendLater(entry);
  }

  #nameOf(peer: string, message: OwnMessage): Pick<MessageChange, 'n' | 'cid'> {
    if (typeof message === 'number') return { n: message };
    const { cid } = message;
    const stored = this.#state.stored.withCid(cid).find(({ outgoing }) => outgoing.to === peer);
    const n = stored?.outgoing.n;
    return n === undefined ? { cid } : { n, cid };
  }
}

function refused(change: MessageChange, { error }: DoormanError): MessageChange {
  return { ...change, state: 'refused', error };
}
