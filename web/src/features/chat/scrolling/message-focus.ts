import type { FocusEvent, KeyboardEvent } from 'react';
import type { Block } from './block-window.ts';
import { bottomOf, topOf } from './reading-place.ts';

/** The scroller of the messages and the parent of their blocks. */
interface Elements {
  readonly scroller: HTMLElement;
  readonly rows: HTMLElement;
}

/** A message of a block, which may not be in the document. */
interface Place {
  readonly block: number;
  /** Among the messages of the block; -1 for the last one. */
  readonly index: number;
}

const MESSAGE = '[data-message]';

interface MessageFocusOptions {
  /** Absent while the list is not in the document. */
  elements: () => Elements | undefined;
  blocks: () => readonly Block[];
  /** Adds a block to those in the document. */
  show: (block: number) => void;
  /** Called when a message gets the focus, and when none has it any more. */
  onEntered: (isEntered: boolean) => void;
  /** Called after a key has moved the focus and scrolled the list. */
  onMoved: () => void;
  /** Called when a key would move the focus above the first message. */
  onAboveFirst: () => void;
}

/**
 * Moves the focus between messages by the arrow and page keys, Home and End. While no message has the focus, the scroller is
 * the stop of the Tab key and passes the focus on to a message.
 */
export class MessageFocus {
  readonly #options: MessageFocusOptions;
  /** Gets the focus once its block is in the document. */
  #wanted: Place | undefined;
  /** Called with it then. */
  #onFocused: ((message: HTMLElement) => void) | undefined;
  /** The message that had the focus last. */
  #used: HTMLElement | undefined;
  /** Where the focus was before the rows changed: the message, its block, and its index there. */
  #before: { message: HTMLElement; block: HTMLElement; index: number } | undefined;

  constructor(options: MessageFocusOptions) {
    this.#options = options;
  }

  /** Of the scroller. */
  readonly handlers = {
    onFocus: ({ target }: FocusEvent): void => {
      const elements = this.#options.elements();
      if (!elements) return;
      const message = target.closest<HTMLElement>(MESSAGE);
      if (message) this.#used = message;
      // After a click beside the messages, the arrow keys scroll.
      else if (target === elements.scroller && target.matches(':focus-visible')) this.#enter(elements);
      this.#options.onEntered(document.activeElement?.closest(MESSAGE) != null);
    },
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent): void => {
      if (!currentTarget.contains(relatedTarget)) this.#options.onEntered(false);
    },
    onKeyDown: (event: KeyboardEvent): void => {
      const elements = this.#options.elements();
      const message = event.target instanceof Element ? event.target.closest<HTMLElement>(MESSAGE) : null;
      const isPlain = !event.ctrlKey && !event.altKey && !event.metaKey && !event.shiftKey;
      // The user has scrolled on since they clicked on it: keys scroll from where they read.
      if (!elements || !message || !isPlain || !isOnScreen(message, elements)) return;
      const next = targetOfKey(event.key, message, elements, this.#options.blocks());
      if (!next) {
        if (event.key === 'ArrowUp' && !neighbour(message, true, this.#options.blocks()))
          this.#options.onAboveFirst();
        return;
      }
      event.preventDefault();
      if (next instanceof HTMLElement) {
        focus(next);
        this.#options.onMoved();
      } else this.moveTo(next);
    },
  };

  /** Moves the focus to a message, once its block is in the document. */
  moveTo(place: Place, onFocused?: (message: HTMLElement) => void): void {
    this.#wanted = place;
    this.#onFocused = onFocused;
    const rows = this.#options.elements()?.rows;
    if (rows && !this.#focusWanted(rows)) this.#options.show(place.block);
  }

  /** To be called before React changes the rows. */
  beforeUpdate(): void {
    const { activeElement } = document;
    const isInside = this.#options.elements()?.rows.contains(activeElement);
    const message = isInside ? activeElement?.closest<HTMLElement>(MESSAGE) : undefined;
    const block = message?.parentElement;
    this.#before =
      message && block ? { message, block, index: messagesOf(block).indexOf(message) } : undefined;
  }

  /** To be called after it: a message that waits for the focus may be there, and the one that had it gone. */
  afterUpdate(): void {
    const elements = this.#options.elements();
    if (!elements || this.#focusWanted(elements.rows)) return;
    if (!this.#before || document.activeElement !== document.body) return;
    const { message, block, index } = this.#before;
    const near = message.isConnected ? message : (messagesOf(block)[index] ?? messagesOf(block).at(-1));
    if (near?.isConnected) focus(near);
    else this.#enter(elements);
    this.#options.onMoved();
  }

  /** The message of the last visit, if it is on the screen, else the lowest one there. */
  #enter(elements: Elements): void {
    const { scroller, rows } = elements;
    const onScreen = messagesOf(rows).filter((message) => isOnScreen(message, elements));
    const message = onScreen.find((one) => one === this.#used) ?? onScreen.at(-1);
    if (message) focus(message);
    else scroller.focus({ preventScroll: true });
  }

  /** @returns whether the message is in the document */
  #focusWanted(rows: Element): boolean {
    if (!this.#wanted) return false;
    const { block, index } = this.#wanted;
    const message = messagesOf(rows.querySelector(`:scope > [data-block="${block}"]`)).at(index);
    if (!message) return false;
    this.#wanted = undefined;
    focus(message);
    this.#onFocused?.(message);
    this.#options.onMoved();
    return true;
  }
}

function isOnScreen(message: HTMLElement, { scroller }: Elements): boolean {
  return bottomOf(scroller, message) > 0 && topOf(scroller, message) < scroller.clientHeight;
}

function focus(message: HTMLElement): void {
  message.focus({ preventScroll: true });
  message.scrollIntoView({ block: 'nearest' });
}

function messagesOf(parent: Element | null): HTMLElement[] {
  return [...(parent?.querySelectorAll<HTMLElement>(MESSAGE) ?? [])];
}

/** @returns nothing for another key, at an end of the messages, and where the key scrolls through a message higher than the screen */
function targetOfKey(
  key: string,
  from: HTMLElement,
  { scroller, rows }: Elements,
  blocks: readonly Block[],
): HTMLElement | Place | undefined {
  const ends = { Home: blocks[0], End: blocks.at(-1) };
  if (key === 'Home' || key === 'End') {
    const block = ends[key];
    return block && { block: block.key, index: key === 'Home' ? 0 : -1 };
  }
  const isUp = key === 'ArrowUp' || key === 'PageUp';
  if (!isUp && key !== 'ArrowDown' && key !== 'PageDown') return undefined;
  const [top, bottom, screen] = [topOf(scroller, from), bottomOf(scroller, from), scroller.clientHeight];
  const isCut = isUp ? top < 0 && bottom > 0 : bottom > screen && top < screen;
  if (isCut && bottom - top > screen) return undefined;
  const next = neighbour(from, isUp, blocks);
  if (key === 'ArrowUp' || key === 'ArrowDown') return next;
  const within = messagesOf(rows).filter((message) =>
    isUp ? topOf(scroller, message) >= top - screen : bottomOf(scroller, message) <= bottom + screen,
  );
  const furthest = isUp ? within[0] : within.at(-1);
  return furthest === from ? next : furthest;
}

function neighbour(
  from: HTMLElement,
  isUp: boolean,
  blocks: readonly Block[],
): HTMLElement | Place | undefined {
  const step = isUp ? -1 : 1;
  const messages = messagesOf(from.parentElement);
  const inBlock = messages[messages.indexOf(from) + step];
  if (inBlock) return inBlock;
  const block = blocks[blocks.findIndex(({ key }) => `${key}` === from.parentElement?.dataset.block) + step];
  return block && { block: block.key, index: isUp ? -1 : 0 };
}
