import { Component, createRef, type ReactNode } from 'react';
import styles from './message-list.module.css';

interface MessageScrollerProps {
  label: string;
  /** The number before the first new message, above which the "new" line is; absent if there is no line. */
  unreadAfter: number | undefined;
  /** The key of the user's own latest message; when it changes, the list scrolls to the end. */
  lastOwnKey: string | undefined;
  /** Called when the newest message comes on the screen or leaves it. */
  onAtEnd: (isAtEnd: boolean) => void;
  /** Called repeatedly while the first loaded message is near. */
  onNearTop: () => void;
  /** On top of the messages, at the lower end. */
  overlay: ReactNode;
  /** The rows; messages have `data-message`, the "new" line has `data-line`. */
  children: ReactNode;
}

/** A row on the screen, and its lower end in pixels below the upper edge of the scroller. */
interface Anchor {
  row: Element;
  bottom: number;
}

/** At this distance or less, the list counts as scrolled to the end. */
const END_PX = 32;
/** The distance of the "new" line to the upper edge, so that the end of the read messages is visible too. */
const LINE_PX = 72;
/** While a window is resized, its width changes in each frame; rows are laid out again when it has been constant for this time. */
const RESIZED_MS = 200;

/**
 * Keeps the messages that the user reads in place. At the end it stays at the end when messages arrive or grow; elsewhere
 * no row moves when rows are added above or below. While the page is hidden or without focus, new messages move the "new"
 * line no further than to the upper edge.
 *
 * A class, because only `getSnapshotBeforeUpdate` can read positions before React changes them. (Browsers have scroll
 * anchoring, but not Safari, and none of them at the very top.)
 */
export class MessageScroller extends Component<MessageScrollerProps> {
  readonly #scroller = createRef<HTMLDivElement>();
  readonly #rows = createRef<HTMLDivElement>();
  readonly #resizes = new ResizeObserver(() => this.#onResize());
  #isFollowing = true;
  /** The scroll position of the end when the list last scrolled to it. */
  #followedTo = 0;
  #isAtEnd: boolean | undefined;
  #width = 0;
  #relayoutTimer: ReturnType<typeof setTimeout> | undefined;

  override componentDidMount(): void {
    for (const part of [this.#scroller.current, this.#rows.current]) if (part) this.#resizes.observe(part);
    this.#follow(true);
    this.#report();
  }

  override componentWillUnmount(): void {
    this.#resizes.disconnect();
    clearTimeout(this.#relayoutTimer);
  }

  override getSnapshotBeforeUpdate(): Anchor | null {
    return this.#isFollowing ? null : this.#findAnchor();
  }

  override componentDidUpdate(before: MessageScrollerProps, _state: unknown, anchor: Anchor | null): void {
    const { unreadAfter, lastOwnKey } = this.props;
    if (lastOwnKey !== before.lastOwnKey && lastOwnKey !== undefined) this.toEnd();
    else if (this.#isFollowing) this.#follow(unreadAfter !== before.unreadAfter);
    else if (anchor) this.#hold(anchor);
    this.#report();
  }

  toEnd(): void {
    const scroller = this.#scroller.current;
    if (!scroller) return;
    scroller.scrollTop = scroller.scrollHeight;
    this.#followedTo = scroller.scrollTop;
    this.#isFollowing = true;
    this.#report();
  }

  /** The arrow keys scroll the element that has the focus. */
  focus(): void {
    this.#scroller.current?.focus({ preventScroll: true });
  }

  override render(): ReactNode {
    const { label, children, overlay } = this.props;
    return (
      <div className={styles.frame}>
        <div
          className={styles.scroller}
          ref={this.#scroller}
          role="log"
          // The `Announcer` says what arrives; this region would also read out history and delivery statuses.
          aria-live="off"
          aria-label={label}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys scroll it.
          tabIndex={0}
          onScroll={this.#onScroll}
          data-testid="messages"
        >
          <div className={styles.rows} ref={this.#rows}>
            {children}
          </div>
        </div>
        {overlay}
      </div>
    );
  }

  readonly #onScroll = (): void => {
    const top = this.#scroller.current?.scrollTop ?? 0;
    // The event of our own scrolling may come after more has grown below; only the user scrolls up.
    if (this.#isFollowing && top >= this.#followedTo - 1) this.#follow(false);
    else this.#isFollowing = this.#distance() < END_PX;
    this.#report();
  };

  /** The size changed without React, by the window, the keyboard of a phone, or a font. */
  #onResize(): void {
    const width = this.#scroller.current?.clientWidth ?? 0;
    if (this.#width !== 0 && this.#width !== width) this.#layOutAll();
    this.#width = width;
    if (this.#isFollowing) this.#follow(false);
    this.#report();
  }

  /** Lines break elsewhere at a new width, so the skipped blocks have another height: lays all blocks out once. */
  #layOutAll(): void {
    clearTimeout(this.#relayoutTimer);
    this.#relayoutTimer = setTimeout(() => {
      const rows = this.#rows.current;
      const anchor = this.#isFollowing ? null : this.#findAnchor();
      rows?.setAttribute('data-narrowed', '');
      if (anchor) this.#hold(anchor);
      requestAnimationFrame(() => requestAnimationFrame(() => rows?.removeAttribute('data-narrowed')));
    }, RESIZED_MS);
  }

  /** Scrolls to the end, but not past the "new" line if it is new or the page is hidden or without focus. */
  #follow(isLineNew: boolean): void {
    const scroller = this.#scroller.current;
    if (!scroller) return;
    const isAttended = document.visibilityState === 'visible' && document.hasFocus();
    const line = isLineNew || !isAttended ? scroller.querySelector('[data-line]') : null;
    scroller.scrollTop = scroller.scrollHeight;
    this.#followedTo = scroller.scrollTop;
    if (!line) return;
    const over = LINE_PX - (line.getBoundingClientRect().top - this.#edge());
    if (over <= 0) return;
    scroller.scrollTop -= over;
    this.#isFollowing = this.#distance() < END_PX;
  }

  #findAnchor(): Anchor | null {
    const block = this.#firstVisible(this.#rows.current?.querySelectorAll(':scope > [data-block]'));
    // A day or the "new" line may disappear when rows are added above it; messages stay.
    const row = this.#firstVisible(block?.querySelectorAll(':scope > [data-message]'));
    return row && { row, bottom: this.#bottomOf(row) };
  }

  #firstVisible(parts: NodeListOf<Element> | undefined): Element | null {
    let low = 0;
    let high = parts?.length ?? 0;
    while (low < high) {
      const middle = (low + high) >> 1;
      const part = parts?.item(middle);
      if (part && this.#bottomOf(part) > 0) high = middle;
      else low = middle + 1;
    }
    return parts?.item(low) ?? null;
  }

  /** Compares the lower end of the row, as its upper end has the gap to the row above, which may have changed. */
  #hold({ row, bottom }: Anchor): void {
    const scroller = this.#scroller.current;
    if (!scroller || !row.isConnected) return;
    const moved = this.#bottomOf(row) - bottom;
    if (Math.abs(moved) >= 0.5) scroller.scrollTop += moved;
  }

  #bottomOf(row: Element): number {
    return row.getBoundingClientRect().bottom - this.#edge();
  }

  #edge(): number {
    return this.#scroller.current?.getBoundingClientRect().top ?? 0;
  }

  #distance(): number {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = this.#scroller.current ?? {};
    return scrollHeight - scrollTop - clientHeight;
  }

  #report(): void {
    const scroller = this.#scroller.current;
    if (!scroller) return;
    const isAtEnd = this.#distance() < END_PX;
    if (isAtEnd !== this.#isAtEnd) {
      this.#isAtEnd = isAtEnd;
      this.props.onAtEnd(isAtEnd);
    }
    if (scroller.scrollTop < scroller.clientHeight * 1.5) this.props.onNearTop();
  }
}
