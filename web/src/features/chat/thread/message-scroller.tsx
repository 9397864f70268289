import { Component, createRef, type ReactNode } from 'react';
import styles from './message-list.module.css';

interface MessageScrollerProps {
  label: string;
  /** The number before the first new message: where the line "new" was drawn, if one was. */
  unreadAfter: number | undefined;
  /** Key of the user's own latest message: the list scrolls to a new one. */
  ownLast: string | undefined;
  /** Whether the newest message is in sight; told at every change. */
  onAtEnd: (isAtEnd: boolean) => void;
  /** The beginning of what is loaded comes near; told again and again. */
  onNearTop: () => void;
  /** Over the messages, at the lower end. */
  overlay: ReactNode;
  /** The rows; those of messages have `data-message`, the line "new" has `data-line`. */
  children: ReactNode;
}

/** A row that is in sight, and where it ends: below the upper edge of the scroller, in pixels. */
interface Anchor {
  row: Element;
  bottom: number;
}

/** So near to the end counts as there. */
const END_PX = 32;
/** The line "new" is put so far below the upper edge, so that a bit of what was read is seen too. */
const LINE_PX = 72;
/** A window that is being drawn wider changes its width in each frame. */
const RESIZED_MS = 200;

/**
 * Keeps in sight what is read. At the end it stays at the end, whatever comes or grows; elsewhere no row moves, whatever is
 * put above or below. While nobody looks, new messages push the line "new" no further than the upper edge.
 *
 * A class, because only `getSnapshotBeforeUpdate` can see where things are before React changes them. (Browsers anchor by
 * themselves, but neither Safari, nor any of them at the very top.)
 */
export class MessageScroller extends Component<MessageScrollerProps> {
  readonly #scroller = createRef<HTMLDivElement>();
  readonly #rows = createRef<HTMLDivElement>();
  readonly #resizes = new ResizeObserver(() => this.#settle());
  #isFollowing = true;
  /** Where the end was when it was last gone to. */
  #followedTo = 0;
  #isAtEnd: boolean | undefined;
  #width = 0;
  #narrowing: ReturnType<typeof setTimeout> | undefined;

  override componentDidMount(): void {
    for (const part of [this.#scroller.current, this.#rows.current]) if (part) this.#resizes.observe(part);
    this.#follow(true);
    this.#report();
  }

  override componentWillUnmount(): void {
    this.#resizes.disconnect();
    clearTimeout(this.#narrowing);
  }

  override getSnapshotBeforeUpdate(): Anchor | null {
    return this.#isFollowing ? null : this.#findAnchor();
  }

  override componentDidUpdate(before: MessageScrollerProps, _state: unknown, anchor: Anchor | null): void {
    const { unreadAfter, ownLast } = this.props;
    if (ownLast !== before.ownLast && ownLast !== undefined) this.toEnd();
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

  /** For the keyboard, which scrolls what has the focus. */
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
          // What comes is said by an announcer beside it: a page of history is no news, nor is a tick.
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
    // The event of our own scrolling may come when more has grown below; only somebody else scrolls up.
    if (this.#isFollowing && top >= this.#followedTo - 1) this.#follow(false);
    else this.#isFollowing = this.#distance() < END_PX;
    this.#report();
  };

  /** Something grew or shrank without React, such as the window, the keyboard on a phone, or a font. */
  #settle(): void {
    const width = this.#scroller.current?.clientWidth ?? 0;
    if (this.#width !== 0 && this.#width !== width) this.#layOutAll();
    this.#width = width;
    if (this.#isFollowing) this.#follow(false);
    this.#report();
  }

  /** Lines break elsewhere now: what is left out of the layout has another height, once the new width lasts. */
  #layOutAll(): void {
    clearTimeout(this.#narrowing);
    this.#narrowing = setTimeout(() => {
      const rows = this.#rows.current;
      const anchor = this.#isFollowing ? null : this.#findAnchor();
      rows?.setAttribute('data-narrowed', '');
      if (anchor) this.#hold(anchor);
      requestAnimationFrame(() => requestAnimationFrame(() => rows?.removeAttribute('data-narrowed')));
    }, RESIZED_MS);
  }

  /** To the end, but not past the line while nobody looks, or when it has just been drawn. */
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
    const block = this.#firstInSight(this.#rows.current?.querySelectorAll(':scope > [data-block]'));
    // A day or the line may go when something is put before it; messages stay.
    const row = this.#firstInSight(block?.querySelectorAll(':scope > [data-message]'));
    return row && { row, bottom: this.#bottomOf(row) };
  }

  #firstInSight(parts: NodeListOf<Element> | undefined): Element | null {
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

  /** By the end of the row: at its beginning is its distance from the one above, which may be another now. */
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
