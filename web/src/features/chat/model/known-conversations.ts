import type {
  ConversationEvent,
  MarkedEvent,
  MessageEvent,
  Snapshot,
  Conversation as WireConversation,
} from 'doorman-client';
import { ConversationPages, type ConversationPagesOptions } from './conversation-pages.ts';
import { SettingsEffects } from './conversation-settings.ts';
import {
  type Conversation,
  fromWire,
  noConversation,
  toWire,
  withFresh,
  withMark,
  withMessage,
  withSettings,
} from './conversations.ts';
import { ReadMarks } from './read-marks.ts';
import { unreadOf } from './unread.ts';

export interface KnownConversationsOptions
  extends Omit<ConversationPagesOptions, 'onConversations' | 'onNone' | 'isKnown'> {
  isAttended(): boolean;
  /** No message is unread any more, or one was unsent. */
  closeNotifications(peer: string): void;
}

interface Listener {
  /** Of a conversation that is not known, such as a message request. */
  other(peer: string): Conversation | undefined;
  /** Its state was loaded besides the events, or messages were deleted. */
  loaded(peer: string): void;
  /** Messages were changed or deleted without an event, as while this device was away. */
  outdated(peer: string): void;
  /** The service has no conversation with this user, and none is known. */
  none(peer: string): void;
  changed(): void;
}

/** The conversations as loaded, and changed by the events since; message requests apart. */
export class KnownConversations {
  readonly all = new Map<string, Conversation>();
  readonly pages: ConversationPages;
  readonly readMarks: ReadMarks;
  readonly settings: SettingsEffects;
  readonly #options: KnownConversationsOptions;
  readonly #listener: Listener;

  constructor(options: KnownConversationsOptions, listener: Listener) {
    this.#options = options;
    this.#listener = listener;
    this.pages = new ConversationPages({
      ...options,
      isKnown: (peer) => this.all.has(peer),
      onConversations: (conversations, seq) => this.#addLoaded(conversations, seq),
      onNone: (peer) => {
        if (!this.all.has(peer)) listener.none(peer);
      },
    });
    this.readMarks = new ReadMarks({
      ...options,
      conversation: (peer) => this.of(peer),
      change: (one) => this.change(one),
    });
    this.settings = new SettingsEffects({
      ...options,
      known: this.all,
      unmuted: (peer) => {
        this.pages.loadSoon(peer);
        listener.changed();
      },
    });
  }

  of(peer: string): Conversation {
    return this.all.get(peer) ?? this.#listener.other(peer) ?? noConversation(peer);
  }

  onSnapshot({ conversations, pinned, next }: Snapshot, isOtherDatabase: boolean): void {
    const before = new Map(this.all);
    this.all.clear();
    this.#begin([...conversations, ...pinned], next.conversations);
    for (const peer of new Set([...before.keys(), ...this.all.keys()])) {
      // Pictures of one that the device has forgotten may still be there.
      const was = before.get(peer) ?? noConversation(peer);
      const now = this.all.get(peer);
      const isGone = !now && next.conversations === undefined;
      if (isOtherDatabase || isGone || (now && isOutdated(was, now))) this.#listener.outdated(peer);
    }
    this.readMarks.onSnapshot(isOtherDatabase);
  }

  onMessage(event: MessageEvent): void {
    const { peer, n } = event;
    if (n === 1) this.pages.add(peer);
    this.change(withMessage(this.of(peer), event));
    this.pages.loadMissing(peer);
  }

  onMark(event: MarkedEvent): void {
    const { peer, by } = event;
    const before = this.of(peer);
    this.change(withMark(before, event));
    if (by !== peer) this.readMarks.onMark(event, before);
  }

  /** The user pinned, muted, archived or deleted it, or marked it as unread, on any device. */
  onSettings(event: ConversationEvent): void {
    const { peer, clearedN } = event;
    const before = this.of(peer);
    const now = withSettings(before, event);
    this.change(now);
    this.#listener.loaded(peer);
    // How many of the messages that are left are unread?
    if (now.last && clearedN > before.settings.clearedN) this.pages.loadSoon(peer);
    else this.pages.loadMissing(peer);
    this.settings.onEvent(peer);
  }

  /** Takes what is stored on this device, before the service answers. */
  restore(conversations: readonly WireConversation[]): void {
    this.#begin(conversations);
  }

  /** The loaded ones: those that are pinned, then the latest first. */
  toPersisted(): WireConversation[] {
    return [...this.all.values()]
      .filter(({ peer }) => this.pages.has(peer))
      .flatMap((one) => toWire(one) ?? [])
      .sort((one, other) => other.pinnedAt - one.pinnedAt || other.last.at - one.last.at);
  }

  clear(): void {
    this.all.clear();
    this.pages.begin([]);
    this.readMarks.clear();
    this.settings.clear();
  }

  change(one: Conversation): void {
    const before = this.of(one.peer);
    this.all.set(one.peer, one);
    if (unreadOf(before.counter) > 0 && unreadOf(one.counter) === 0)
      this.#options.closeNotifications(one.peer);
    this.#listener.changed();
  }

  #begin(conversations: readonly WireConversation[], next?: string): void {
    this.pages.begin(conversations, next);
    for (const one of conversations) this.all.set(one.peer, fromWire(one));
    this.settings.update();
  }

  /** Events may already have brought newer states. */
  #addLoaded(conversations: readonly WireConversation[], seq: number): void {
    for (const one of conversations) {
      const before = this.of(one.peer);
      const now = withFresh(before, one, seq);
      this.change(now);
      if (isOutdated(before, now)) this.#listener.outdated(one.peer);
      this.#listener.loaded(one.peer);
    }
    this.settings.update();
    this.#listener.changed();
  }
}

/** Whether what is known of its messages is of before some were changed or deleted. */
function isOutdated(before: Conversation, now: Conversation): boolean {
  return before.revision < now.revision || before.settings.clearedN < now.settings.clearedN;
}
