import { badText, hasBadText } from '../bad-text.ts';
import { DoormanError } from '../errors.ts';
import type { MessageEvent, Outgoing, OutgoingPicture } from '../events.ts';
import { rejected } from './deferred.ts';
import { isSame, type MessageEntry, setRefused, setWaiting, type Written } from './outbox-entries.ts';
import type { OutboxState } from './outbox-state.ts';
import { cidUsed, signedOut } from './own-refusals.ts';
import type { SendQueue } from './send-queue.ts';
import { toStored } from './stored-messages.ts';

/**
 * The messages that the service has not stored yet. A `cid` names one message: recipient, body and reply are compared with every known
 * one, of this tab, of another one, or of the log. Of one that was edited or unsent since, only the recipient can be.
 */
export class Outbox {
  readonly #state: OutboxState;
  readonly #queue: SendQueue;

  constructor(state: OutboxState, queue: SendQueue) {
    this.#state = state;
    this.#queue = queue;
  }

  all(): Outgoing[] {
    return this.#state.entries.messages().map(({ outgoing }) => outgoing);
  }

  /**
   * @param draftKey a key of the storage that is removed when the message is stored there
   * @param picture the bytes of the message's picture
   */
  write(message: Written, draftKey?: string, picture?: OutgoingPicture): Promise<Outgoing> {
    const state = this.#state;
    if (!state.isOpen) return rejected(signedOut());
    if (hasBadText(message)) return rejected(badText());
    const known = [...state.entries.withCid(message.cid), ...state.stored.withCid(message.cid)];
    const same = known.find((one) => isSame(one, message));
    if (same) return same.deferred.promise;
    if (known.length > 0) return rejected(cidUsed());
    const entry = state.entries.add(
      { ...message, writtenAt: state.nextTime(), state: 'waiting' },
      { picture },
    );
    state.announce(entry);
    this.#queue.saveThenSend(entry, draftKey);
    return entry.deferred.promise;
  }

  async picture(cid: string, to?: string): Promise<OutgoingPicture | undefined> {
    const entry = this.#state.entries.withCid(cid, to).find(({ outgoing }) => outgoing.picture);
    return entry && this.#state.pictureOf(entry);
  }

  retry(cid: string, to?: string): void {
    for (const entry of this.#state.entries.withCid(cid, to)) {
      if (entry.outgoing.state !== 'refused') continue;
      setWaiting(entry);
      this.#state.announce(entry);
      this.#queue.saveThenSend(entry);
    }
  }

  async discard(cid: string, to?: string): Promise<void> {
    // A message that is being sent cannot be called back, but one whose picture is being uploaded can.
    const entries = this.#state.entries
      .withCid(cid, to)
      .filter(({ outgoing, isTried }) => outgoing.state !== 'sending' || !isTried);
    for (const entry of entries) {
      this.#state.discard(entry);
      this.#state.post(entry.outgoing);
    }
    this.#queue.send();
    await Promise.all(entries.map((entry) => this.#state.forget(entry)));
  }

  /** A message of the user is in their log: the service has stored it, from any of their devices. */
  onOwnMessage(message: MessageEvent): void {
    const isChanged = message.editedAt !== undefined || message.unsentAt !== undefined;
    this.#onStored(toStored(message), isChanged, true);
    this.#queue.send();
  }

  /** A message changed in another tab of this user. */
  onTabMessage(outgoing: Outgoing): void {
    const { entries } = this.#state;
    const entry = entries.find(outgoing);
    if (outgoing.state === 'stored') this.#onStored(outgoing, false, false);
    // Of two messages with one cid the service stores one and refuses the other: each tab continues with its own.
    else if (entry || !entries.at(outgoing)) this.#onTabState(outgoing, entry);
    this.#queue.send();
  }

  #onTabState(outgoing: Outgoing, entry: MessageEntry | undefined): void {
    const state = this.#state;
    if (entry && outgoing.state === 'sending') entry.isTried = true;
    // The other tab has uploaded the picture.
    if (entry && outgoing.picture?.id !== undefined)
      entry.outgoing = { ...entry.outgoing, picture: outgoing.picture };
    if (entry?.outgoing.state === 'sending' || entry?.outgoing.state === outgoing.state) return;
    if (outgoing.state === 'discarded') {
      if (entry) state.discard(entry);
    } else if (outgoing.state === 'waiting') {
      const known = entry ?? state.entries.add(outgoing);
      setWaiting(known);
      state.change(known, {});
      this.#queue.sendLater(known);
    } else if (outgoing.state === 'refused') {
      const known = entry ?? state.entries.add({ ...outgoing, state: 'waiting' });
      setRefused(known, new DoormanError(403, outgoing.error ?? '', ''));
      state.change(known, {});
      state.settleChanges(known);
    }
  }

  #onStored(outgoing: Outgoing, isChanged: boolean, isNewToTabs: boolean): void {
    const { entries, stored } = this.#state;
    // Text and reply of a changed message are not those that were sent.
    const entry = isChanged ? entries.at(outgoing) : entries.find(outgoing);
    if (entry && (entry.isTried || !isChanged))
      this.#state.markStored(entry, outgoing, { isChanged, isNewToTabs });
    else if (!entry) stored.add(outgoing, isChanged);
  }
}
