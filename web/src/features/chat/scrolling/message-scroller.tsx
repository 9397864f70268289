import { Component, createRef, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { type Block, BlockHeights, chooseBlocks } from './block-window.ts';
import { findHeldBlocks } from './held-blocks.ts';
import { MessageFocus } from './message-focus.ts';
import styles from './message-scroller.module.css';
import {
  type Anchor,
  findAnchor,
  findTopMessage,
  type MessagePlace,
  sizeOf,
  topOfView,
} from './reading-place.ts';
import { measureBlocks, RenderedBlocks } from './rendered-blocks.tsx';
import { ScrollPosition } from './scroll-position.ts';

interface MessageScrollerProps<B extends Block> {
  label: string;
  /** Above the blocks. */
  top: ReactNode;
  blocks: readonly B[];
  /** The rows of a block; messages have `data-message`, the day lines `data-day` and the "new" line `data-line`. */
  children: (block: B) => ReactNode;
  /** The block with the "new" line, and the number before the first new message; absent if there is no line. */
  line: { block: number; unreadAfter: number | undefined } | undefined;
  /** The key of the user's own latest message; when it changes, the list scrolls to the end. */
  lastOwnKey: string | undefined;
  /** The number of the last stored message in the blocks, 0 without one. */
  lastNumber: number;
  /** The number of the last message that arrived while the page was hidden or without focus, also if it is shown later. */
  arrivedAway: number;
  /** The conversation goes on below the last block: the list does not follow that end when blocks are added. */
  isCut?: boolean;
  /** All blocks are in the document, and the reading place stays as it was before. */
  isWhole: boolean;
  /** Called with `lastNumber` when the end comes on the screen or grows there, and with nothing when it leaves the screen. */
  onAtEnd: (shownTo: number | undefined) => void;
  /** Called repeatedly while the first loaded message is near. */
  onNearTop: () => void;
  /** Called when the user asks by key for what is above the first loaded message. */
  onAboveFirst: () => void;
  /** Called while the user scrolls, with the topmost message on the screen. */
  onScrolled: (top: MessagePlace | undefined) => void;
  /** On top of the messages. */
  overlay: ReactNode;
}

interface State {
  /** The keys of the blocks in the document. */
  readonly shown: ReadonlySet<number>;
  /** A message has the focus; else the scroller is the stop of the Tab key. */
  readonly isEntered: boolean;
}

/** Blocks that are rendered first, at the end; then the others are chosen by their heights. */
const FIRST_BLOCKS = 4;
/** Blocks that may enter the document in one frame before they are on the screen. */
const ENTERING_BLOCKS = 4;

/**
 * Keeps the messages that the user reads in place, and only blocks near the screen in the document. At the end it stays at
 * the end when messages arrive or grow; elsewhere no row moves when rows are added above or below, or when blocks enter and
 * leave. Messages that arrive while the page is hidden or without focus move the "new" line no further than to the upper edge.
 *
 * A class, because only `getSnapshotBeforeUpdate` can read positions before React changes them. (Browsers have scroll
 * anchoring, but not Safari, and none of them at the very top.)
 */
export class MessageScroller<B extends Block> extends Component<MessageScrollerProps<B>, State> {
  readonly #scroller = createRef<HTMLDivElement>();
  readonly #rows = createRef<HTMLDivElement>();
  readonly #resizes = new ResizeObserver(() => {
    this.#followSize();
    this.#settle();
  });
  readonly #heights = new BlockHeights();
  readonly #position = new ScrollPosition(() => this.#scroller.current);
  /** What `onAtEnd` was called with; null before its first call. */
  #shownTo: number | undefined | null = null;
  /** Of the rows and the screen, when the list was last settled. */
  #size = { width: 0, height: 0, screen: 0 };
  /** What the user reads, for changes of size, which are known only after they happened. */
  #anchor: Anchor | null = null;
  readonly #focus = new MessageFocus({
    elements: () => this.#elements(),
    blocks: () => this.props.blocks,
    show: (block) => this.setState(({ shown }) => ({ shown: new Set([...shown, block]) })),
    onEntered: (isEntered) => this.setState({ isEntered }),
    // At once, before anything else follows the end.
    onMoved: () => this.#onScroll(),
    onAboveFirst: () => this.props.onAboveFirst(),
  });
  /** Blocks have entered the document; in the next frame others may. */
  #nextFrame: number | undefined;

  override state: State = {
    shown: new Set(this.props.blocks.slice(-FIRST_BLOCKS).map(({ key }) => key)),
    isEntered: false,
  };

  override componentDidMount(): void {
    for (const part of [this.#scroller.current, this.#rows.current]) if (part) this.#resizes.observe(part);
    this.#position.follow(true);
    this.#settle();
  }

  override componentWillUnmount(): void {
    this.#resizes.disconnect();
    if (this.#nextFrame !== undefined) cancelAnimationFrame(this.#nextFrame);
  }

  override getSnapshotBeforeUpdate(before: MessageScrollerProps<B>): Anchor | null {
    if (before.isCut) this.#position.scrollBy(0);
    this.#followSize();
    const elements = this.#elements();
    if (!elements) return null;
    this.#focus.beforeUpdate();
    return this.#position.isFollowing ? null : findAnchor(elements.scroller, elements.rows);
  }

  override componentDidUpdate(before: MessageScrollerProps<B>, _state: State, anchor: Anchor | null): void {
    const { line, lastOwnKey, arrivedAway } = this.props;
    if (lastOwnKey !== before.lastOwnKey && lastOwnKey !== undefined) this.#position.toEnd();
    else if (this.#position.isFollowing)
      this.#position.follow(
        line?.unreadAfter !== before.line?.unreadAfter || before.lastNumber < arrivedAway,
      );
    else if (anchor) this.#position.hold(anchor);
    this.#settle();
    this.#focus.afterUpdate();
  }

  toEnd(): void {
    this.#position.toEnd();
    this.#settle();
  }

  /** Moves the focus to a message, in the middle of the screen. @param index among the messages of the block */
  toMessage(block: number, index: number, onFocused: (row: HTMLElement) => void): void {
    this.#focus.moveTo({ block, index }, (row) => {
      row.scrollIntoView({ block: 'center' });
      onFocused(row);
    });
  }

  /** Holds one edge of a row in place while `render` changes the height of the row. */
  resizeRow(row: Element, edge: 'top' | 'bottom', render: () => void): void {
    const before = row.getBoundingClientRect()[edge];
    flushSync(render);
    this.#position.scrollBy(row.getBoundingClientRect()[edge] - before);
    this.#settle();
  }

  /** After a use of the keyboard, the message at the end gets it. */
  focus(): void {
    this.#scroller.current?.focus({ preventScroll: true });
  }

  override render(): ReactNode {
    const { label, top, blocks, children, overlay } = this.props;
    return (
      <div className={styles.frame}>
        {overlay}
        <div
          className={styles.scroller}
          ref={this.#scroller}
          role="log"
          // The `Announcer` says what arrives; this region would also read out history and delivery statuses.
          aria-live="off"
          aria-label={label}
          tabIndex={this.state.isEntered ? -1 : 0}
          onScroll={this.#onScroll}
          {...this.#focus.handlers}
          data-testid="messages"
        >
          <div className={styles.rows} ref={this.#rows}>
            {top}
            <RenderedBlocks blocks={blocks} heights={this.#heights} shown={this.#shown()}>
              {children}
            </RenderedBlocks>
          </div>
        </div>
      </div>
    );
  }

  /** With the block of the "new" line, which may decide where the list scrolls to. */
  #shown(): ReadonlySet<number> {
    const { shown } = this.state;
    const { blocks, line, isWhole } = this.props;
    if (isWhole) return new Set(blocks.map(({ key }) => key));
    return line && !shown.has(line.block) ? new Set([...shown, line.block]) : shown;
  }

  readonly #onScroll = (): void => {
    const elements = this.#elements();
    if (!elements || this.props.isWhole) return;
    const { scroller, rows } = elements;
    this.#followSize();
    const isUser = this.#position.onScroll(scroller);
    this.#settle();
    if (isUser) this.props.onScrolled(findTopMessage(scroller, rows));
  };

  /** Holds what is read if the size has changed without React, by the window, the keyboard of a phone, or a font. */
  #followSize(): void {
    const { scroller, rows } = this.#elements() ?? {};
    if (!scroller || !rows || scroller.clientHeight === 0 || this.props.isWhole) return;
    const before = this.#size;
    this.#size = sizeOf(scroller, rows);
    const { width, height, screen } = this.#size;
    if (width !== before.width) this.#heights.onResize();
    else if (height === before.height && screen === before.screen) return;
    if (this.#position.isFollowing) this.#position.follow(false);
    else if (this.#anchor) this.#position.hold(this.#anchor);
  }

  /** After a change of the rows, their size or the scroll position. */
  #settle(): void {
    const { scroller, rows } = this.#elements() ?? {};
    // Without a height the list is not on the screen.
    if (!scroller || !rows || scroller.clientHeight === 0 || this.props.isWhole) return;
    this.#chooseBlocks(scroller, rows);
    this.#anchor = findAnchor(scroller, rows);
    this.#size = sizeOf(scroller, rows);
    const isAtEnd = this.#position.settle(scroller);
    const shownTo = isAtEnd ? this.props.lastNumber : undefined;
    if (shownTo !== this.#shownTo) {
      this.#shownTo = shownTo;
      this.props.onAtEnd(shownTo);
    }
    if (scroller.scrollTop < scroller.clientHeight * 1.5) this.props.onNearTop();
  }

  #chooseBlocks(scroller: Element, rows: Element): void {
    const { blocks, line } = this.props;
    const shown = this.#shown();
    measureBlocks(rows, blocks, shown, this.#heights);
    const held = findHeldBlocks(rows);
    if (line) held.add(line.block);
    const view = { top: topOfView(scroller, rows), height: scroller.clientHeight };
    const maxEntering = this.#nextFrame === undefined ? ENTERING_BLOCKS : 0;
    const { keys, isPartial } = chooseBlocks(blocks, this.#heights, { view, shown, held, maxEntering });
    const isChanged = keys.size !== shown.size || [...keys].some((key) => !shown.has(key));
    if (isChanged) this.setState({ shown: keys });
    if (isChanged || isPartial)
      this.#nextFrame ??= requestAnimationFrame(() => {
        this.#nextFrame = undefined;
        this.#followSize();
        this.#settle();
      });
  }

  #elements() {
    const [scroller, rows] = [this.#scroller.current, this.#rows.current];
    return scroller && rows ? { scroller, rows } : undefined;
  }
}
