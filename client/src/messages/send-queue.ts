import type { Socket } from '../connection/socket.ts';
import { DoormanError } from '../errors.ts';
import type { Timeouts } from '../timeouts.ts';
import type { Stored } from '../wire.ts';
import {
  type Entry,
  forgetUpload,
  isHeld,
  isMessage,
  isRefusal,
  lacksUpload,
  type MessageEntry,
  NOT_YET,
  peerOf,
  refusalOf,
  setRefused,
  toFrame,
} from './outbox-entries.ts';
import type { OutboxState } from './outbox-state.ts';
import type { PictureUploads } from './picture-uploads.ts';
import { SendPause } from './send-pause.ts';

/** A picture that the service has lost, as one that it removed after 24 hours, is uploaded again once. */
const MAX_UPLOADS = 2;

/**
 * Sends what the service has not stored yet. Each entry is stored on the device before it is sent, and sent until there is a reply, one at
 * a time to each peer and in the order in which it was written. The service recognizes what is repeated.
 */
export class SendQueue {
  readonly #state: OutboxState;
  readonly #timeouts: Timeouts;
  readonly #live: () => Socket | undefined;
  readonly #uploads: PictureUploads;
  readonly #pause: SendPause;
  /** The peers of the entries in flight. */
  #busy = new Set<string>();

  /** @param live the connection, while it is live */
  constructor(
    state: OutboxState,
    timeouts: Timeouts,
    live: () => Socket | undefined,
    uploads: PictureUploads,
  ) {
    this.#state = state;
    this.#timeouts = timeouts;
    this.#live = live;
    this.#uploads = uploads;
    this.#pause = new SendPause(timeouts, () => this.send());
  }

  /** Continues with what this user wrote. @param userId empty: no user */
  open(userId = ''): Promise<void> {
    this.#pause.cancel();
    this.#busy = new Set();
    return this.#state.open(userId);
  }

  /** Sends what waits, if the connection is live. */
  send(): void {
    const socket = this.#live();
    if (!socket || this.#pause.isOn) return;
    const now = performance.now();
    const passed = new Set<string>();
    for (const entry of this.#state.entries.all()) {
      const peer = peerOf(entry);
      if (isHeld(entry) || passed.has(peer)) continue;
      passed.add(peer);
      if (this.#busy.has(peer) || entry.sendAfter > now) continue;
      if (isMessage(entry) && lacksUpload(entry)) void this.#upload(entry);
      // The storage has to know it before the service can.
      else if (isMessage(entry) && !entry.isTried) this.saveThenSend(entry);
      else void this.#sendOne(socket, entry);
    }
  }

  /** The connection ended, and with it its limit of messages. */
  onEnd(): void {
    this.#pause.cancel();
  }

  /**
   * Sends an entry once it is on the device. A message whose turn it is by then is stored as one that may have been sent.
   *
   * @param draftKey a key of the storage that is removed when the message is stored there
   */
  saveThenSend(entry: Entry, draftKey?: string): void {
    const state = this.#state;
    entry.sendAfter = NOT_YET;
    const save = async () => {
      if (!state.entries.has(entry)) return;
      if (isMessage(entry) && !entry.isTried && !lacksUpload(entry) && this.#isNext(entry)) {
        entry.isTried = true;
        state.post({ ...entry.outgoing, state: 'sending' });
      }
      // Without a working storage it is sent all the same.
      await state.save(entry, draftKey);
    };
    void state.restored.then(save).then(() => {
      entry.sendAfter = 0;
      this.send();
    });
  }

  /** Whether it is sent as soon as the storage has it. */
  #isNext(entry: MessageEntry): boolean {
    const peer = peerOf(entry);
    const next = this.#state.entries.all().find((one) => !isHeld(one) && peerOf(one) === peer);
    return next === entry && !this.#busy.has(peer) && !this.#pause.isOn && this.#live() !== undefined;
  }

  /** Takes over an entry of another tab, which may have been closed before it sent it. */
  sendLater(entry: Entry): void {
    entry.sendAfter = NOT_YET;
    setTimeout(() => void this.#takeOver(entry), this.#timeouts.takeOverMs);
  }

  /** Drops what the other tab did not store on the device, where a message is still the draft. */
  async #takeOver(entry: Entry): Promise<void> {
    const state = this.#state;
    const isSaved = await state.hasSaved(entry);
    if (!state.entries.has(entry) || (isMessage(entry) && entry.outgoing.state !== 'waiting')) return;
    if (isSaved) entry.sendAfter = 0;
    else if (isMessage(entry)) state.discard(entry);
    else state.endChange(entry, { state: 'discarded' });
    this.send();
  }

  /** The picture of a message before the message. What may succeed soon is tried again, and only messages to that peer wait for it. */
  async #upload(entry: MessageEntry): Promise<void> {
    const state = this.#state;
    const busy = this.#busy;
    const peer = peerOf(entry);
    busy.add(peer);
    state.change(entry, { state: 'sending' });
    try {
      await this.#uploads.run(entry);
      busy.delete(peer);
    } catch (error) {
      busy.delete(peer);
      if (!(error instanceof DoormanError)) throw error;
      if (state.entries.has(entry)) this.#onUploadError(entry, error);
    }
    this.send();
  }

  #onUploadError(entry: MessageEntry, error: DoormanError): void {
    const { pauseMs, maxPauseMs } = this.#timeouts;
    const waitMs = error.retryAfterMs ?? Math.min(maxPauseMs, pauseMs * 2 ** entry.failedUploads++);
    if (isRefusal(error) || (error.code === 429 && waitMs > maxPauseMs)) {
      this.#refuse(entry, error);
      return;
    }
    this.#state.change(entry, { state: 'waiting' });
    const sendAfter = performance.now() + waitMs;
    entry.sendAfter = sendAfter;
    setTimeout(() => {
      // A timer may end a little before that moment, and nothing else would send it then.
      if (entry.sendAfter === sendAfter) entry.sendAfter = 0;
      this.send();
    }, waitMs);
  }

  async #sendOne(socket: Socket, entry: Entry): Promise<void> {
    const state = this.#state;
    const busy = this.#busy;
    const peer = peerOf(entry);
    busy.add(peer);
    if (isMessage(entry)) state.change(entry, { state: 'sending' });
    try {
      const answer = await socket.request<Stored>(toFrame(entry));
      busy.delete(peer);
      this.#pause.resetFaults();
      if (isMessage(entry)) state.markStored(entry, answer, { isNewToTabs: true });
      else if (state.entries.has(entry)) state.endChange(entry, { state: 'stored' }, { isNewToTabs: true });
    } catch (error) {
      busy.delete(peer);
      if (!(error instanceof DoormanError)) throw error;
      if (state.entries.has(entry)) this.#onError(entry, error);
    }
    this.send();
  }

  #onError(entry: Entry, error: DoormanError): void {
    const state = this.#state;
    const refusal = refusalOf(entry, error);
    if (!refusal) {
      if (isMessage(entry)) state.change(entry, { state: 'waiting' });
      if (error.code !== 0) this.#pause.start(error);
    } else if (isMessage(entry)) {
      if (refusal.error === 'picture_unknown' && entry.uploads < MAX_UPLOADS) {
        forgetUpload(entry);
        this.saveThenSend(entry);
      } else this.#refuse(entry, refusal);
    } else state.endChange(entry, { state: 'refused', error: refusal.error }, { isNewToTabs: true });
  }

  #refuse(entry: MessageEntry, refusal: DoormanError): void {
    const state = this.#state;
    setRefused(entry, refusal);
    state.announce(entry);
    void state.save(entry);
    state.settleChanges(entry, { isOwn: true });
  }
}
