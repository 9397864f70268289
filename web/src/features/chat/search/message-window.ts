import { type Doorman, DoormanError, type Message } from 'doorman-client';
import { Derived } from '../../../data/store.ts';
import {
  type ChangeMessage,
  type ChangeOfMessage,
  edit,
  react,
  unsend,
} from '../messages/message-changes.ts';
import {
  append,
  endOf,
  type MessageRange,
  prepend,
  withChanged,
  withQuoted,
} from '../messages/message-range.ts';
import type { Chats } from '../model/chats.ts';
import type { MessageView } from '../model/views.ts';

/** Messages of a page, half of them on each side of the one that it is loaded around. */
const PAGE = 50;

interface MessageWindowOptions {
  readonly doorman: Doorman;
  readonly chats: Pick<Chats, 'thread' | 'conversation' | 'known'>;
  readonly peer: string;
}

export interface WindowView {
  /** Oldest first, without gaps. */
  readonly messages: readonly MessageView[];
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
  readonly isLoading: boolean;
  /** The error word of the last request. */
  readonly failure: string | undefined;
  /** Another number after other messages have taken the place of these. */
  readonly place: number;
}

/** A part of a conversation around one message, wherever it is; the thread of the conversation stays as it is. */
export class MessageWindow {
  readonly view: Derived<WindowView>;
  readonly #options: MessageWindowOptions;
  #range: MessageRange | undefined;
  #hasNewer = false;
  #place = 0;
  /** The message that is to be shown: the answer about another one comes too late. */
  #sought = 0;
  /** Changes by events, as a page in progress may be from before them. */
  #changes: { n: number; revision: number; change: ChangeMessage }[] = [];
  /** Identifies the request in progress: the result of any other is dropped. */
  #current: object | undefined;
  #failure: string | undefined;
  #repeat = () => {};

  constructor(options: MessageWindowOptions) {
    this.#options = options;
    this.view = new Derived((before) => this.#show(before), 0);
  }

  /** Follows the events of the conversation. @returns ends that */
  open(): () => void {
    const { doorman, chats, peer } = this.#options;
    chats.known.pages.loadMissing(peer);
    const ifOwn =
      <E extends { peer: string }>(take: (event: E) => void) =>
      (event: E) => {
        if (event.peer === peer) take(event);
      };
    const endings = [
      doorman.on(
        'message',
        ifOwn(({ peer: _, seq: _seq, request: _request, ...message }) => this.#onMessage(message)),
      ),
      doorman.on(
        'unsent',
        ifOwn((event) => this.#onChange(event, unsend(event.at))),
      ),
      doorman.on(
        'edited',
        ifOwn((event) => {
          if (event.body !== undefined) this.#onChange(event, edit(event.body, event.at));
        }),
      ),
      doorman.on(
        'reaction',
        ifOwn((event) => this.#onChange(event, react(event.by, event.emoji))),
      ),
      doorman.on(
        'conversation',
        ifOwn(({ clearedN }) => this.#drop(clearedN)),
      ),
      doorman.on('snapshot', () => this.#onSnapshot()),
      // What the user changes, before and after it is stored, and how far the peer has read.
      chats.thread(peer).view.subscribe(() => this.view.invalidate()),
      () => {
        this.#current = undefined;
      },
    ];
    return () => {
      for (const end of endings) end();
    };
  }

  /** Loads the messages around one, unless it is there. */
  show(n: number): void {
    this.#sought = n;
    if (this.#range?.messages.some((one) => one.n === n)) return;
    const { chats, peer } = this.#options;
    const { range } = chats.thread(peer);
    const { counter, revision } = chats.conversation(peer);
    if (range?.messages.some((one) => one.n === n) && range.revision >= revision) {
      this.#current = undefined;
      this.#replace(range, endOf(range) < counter.head);
      return;
    }
    void this.#load(async () => {
      const page = await this.#fetch({ before: n + PAGE / 2, limit: PAGE });
      return () => {
        if (n !== this.#sought) return;
        const { items, quoted, more, revision } = page;
        const end = items.at(-1)?.n ?? 0;
        this.#replace(
          { messages: items, hasOlder: more, quoted, revision },
          end >= n && end !== counter.head,
        );
      };
    });
  }

  loadOlder(): void {
    const [first] = this.#range?.messages ?? [];
    if (!first || !this.#range?.hasOlder || this.#current || this.#failure) return;
    void this.#load(async () => {
      const { items, quoted, more } = await this.#fetch({ before: first.n, limit: PAGE });
      return () => {
        if (this.#range) this.#range = prepend(withQuoted(this.#range, quoted), items, more);
      };
    });
  }

  loadNewer(): void {
    const range = this.#range;
    if (!range || !this.#hasNewer || this.#current || this.#failure) return;
    void this.#load(async () => {
      const { items, quoted, more } = await this.#fetch({ after: endOf(range), limit: PAGE });
      return () => {
        if (this.#range) this.#range = append(withQuoted(this.#range, quoted), items);
        // A message that came meanwhile may not be in the page.
        const { chats, peer } = this.#options;
        this.#hasNewer =
          more || (this.#range !== undefined && endOf(this.#range) < chats.conversation(peer).counter.head);
      };
    });
  }

  /** Repeats what failed. */
  retry(): void {
    if (this.#failure !== undefined) this.#repeat();
  }

  #replace(range: MessageRange, hasNewer: boolean): void {
    this.#range = range;
    this.#hasNewer = hasNewer;
    this.#failure = undefined;
    this.#place++;
    this.view.invalidate();
  }

  /** @param load returns what takes the page */
  async #load(load: () => Promise<() => void>): Promise<void> {
    const own = {};
    this.#current = own;
    this.#failure = undefined;
    this.#repeat = () => void this.#load(load);
    this.view.invalidate();
    try {
      const take = await load();
      if (this.#current === own) take();
    } catch (error) {
      if (!(error instanceof DoormanError)) throw error;
      if (this.#current === own) this.#failure = error.error;
    } finally {
      if (this.#current === own) this.#current = undefined;
      this.view.invalidate();
    }
  }

  async #fetch(fields: { before?: number; after?: number; limit: number }) {
    const { doorman, peer } = this.#options;
    const page = await doorman.api.history({ peer, ...fields });
    const later = this.#changes.filter(({ revision }) => revision > page.revision);
    const update = (message: Message) =>
      later.reduce((changed, { n, change }) => (n === message.n ? change(changed) : changed), message);
    return { ...page, items: page.items.map(update), quoted: page.quoted.map(update) };
  }

  #onMessage(message: Message): void {
    if (!this.#range) return;
    if (this.#hasNewer || message.n > endOf(this.#range) + 1) this.#hasNewer = true;
    else this.#range = append(this.#range, [message]);
    this.view.invalidate();
  }

  #onChange({ n, revision }: ChangeOfMessage, change: ChangeMessage): void {
    this.#changes.push({ n, revision, change });
    if (this.#range) this.#range = { ...withChanged(this.#range, n, change), revision };
    this.view.invalidate();
  }

  /** The user has deleted messages. */
  #drop(clearedN: number): void {
    if (!this.#range || (this.#range.messages[0]?.n ?? 0) > clearedN) return;
    const messages = this.#range.messages.filter(({ n }) => n > clearedN);
    this.#range = { ...this.#range, messages, hasOlder: false };
    this.view.invalidate();
  }

  /** Changes may have come without events: those around the message that is to be shown are loaded again. */
  #onSnapshot(): void {
    const { chats, peer } = this.#options;
    const { revision, settings } = chats.conversation(peer);
    this.#drop(settings.clearedN);
    const [first] = this.#range?.messages ?? [];
    if (first && (this.#range?.revision ?? 0) < revision) {
      this.#range = undefined;
      this.show(Math.max(first.n, this.#sought));
    }
    this.view.invalidate();
  }

  #show(before: WindowView | undefined): WindowView {
    const { chats, peer } = this.#options;
    const range = this.#range;
    const messages = range ? chats.thread(peer).show(range, [], before?.messages) : [];
    return {
      messages,
      hasOlder: range?.hasOlder ?? false,
      hasNewer: this.#hasNewer,
      isLoading: this.#current !== undefined,
      failure: this.#failure,
      place: this.#place,
    };
  }
}
