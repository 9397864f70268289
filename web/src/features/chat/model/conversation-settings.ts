import { type Doorman, DoormanError } from 'doorman-client';
import type { RequestQueue } from '../../../data/request-queue.ts';
import type { Conversation } from './conversations.ts';

/** The longest time of a timer in browsers. */
const MAX_TIMER_MS = 2 ** 31 - 1;

interface SettingsOptions {
  readonly doorman: Doorman;
  readonly queue: RequestQueue;
  readonly known: ReadonlyMap<string, Conversation>;
  isAttended(): boolean;
  /** It is no longer muted, and perhaps no longer archived. */
  unmuted(peer: string): void;
}

/** Effects of the settings of conversations: an opened one is no longer marked as unread, and a mute ends in time. */
export class SettingsEffects {
  readonly #options: SettingsOptions;
  /** Conversations on the screen, which were perhaps marked as unread before they were opened. */
  readonly #opened = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: SettingsOptions) {
    this.#options = options;
  }

  /** The conversation is on the screen. A mark as unread ends once the user looks. @returns it is no longer */
  open(peer: string): () => void {
    this.#opened.add(peer);
    this.update();
    return () => void this.#opened.delete(peer);
  }

  /** Takes the settings of an event. A conversation that is marked while it is open stays marked. */
  onEvent(peer: string): void {
    this.#opened.delete(peer);
    this.update();
  }

  /** The conversations, the attention of the user or the connection has changed. */
  update(): void {
    const { known, isAttended, unmuted } = this.#options;
    const now = Date.now();
    let next = Number.POSITIVE_INFINITY;
    for (const { peer, last, settings } of known.values()) {
      if (settings.markedUnread && this.#opened.has(peer) && isAttended()) this.#endMark(peer);
      if (settings.mutedUntil > now) next = Math.min(next, settings.mutedUntil);
      else if (settings.mutedUntil > 0 && last) unmuted(peer);
    }
    clearTimeout(this.#timer);
    if (next < Number.POSITIVE_INFINITY)
      this.#timer = setTimeout(() => this.update(), Math.min(next - now, MAX_TIMER_MS));
  }

  clear(): void {
    this.#opened.clear();
    clearTimeout(this.#timer);
  }

  /** If it fails, the next change tries again. */
  #endMark(peer: string): void {
    const { doorman, queue } = this.#options;
    queue
      .run(() => doorman.api.setConversation({ peer, markedUnread: 0 }), { isBackground: true })
      .catch((error: unknown) => {
        if (!(error instanceof DoormanError)) throw error;
      });
  }
}
