import { type Anchor, distanceToEnd, movedBy, topOf } from './reading-place.ts';

/** At this distance or less, the list counts as scrolled to the end. */
const END_PX = 32;
/** The distance of the "new" line to the upper edge, so that the end of the read messages is visible too. */
const LINE_PX = 72;

/** The scroll position of the messages: it follows their end, or holds a row in place. */
export class ScrollPosition {
  readonly #scroller: () => Element | null;
  #isFollowing = true;
  /** The position of the end when the list last scrolled to it. */
  #followedTo = 0;
  /** The position that was set here. */
  #ownTop = 0;

  constructor(scroller: () => Element | null) {
    this.#scroller = scroller;
  }

  /** The list stays at its end when messages arrive or grow. */
  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  toEnd(): void {
    const scroller = this.#scroller();
    if (!scroller) return;
    this.#followedTo = this.#set(scroller, scroller.scrollHeight);
    this.#isFollowing = true;
  }

  /**
   * Scrolls to the end, but not past the "new" line if the page is hidden or without focus.
   *
   * @param isHeld it scrolls past the line in no case: the line is new, or messages are that arrived while the page was away
   */
  follow(isHeld: boolean): void {
    const scroller = this.#scroller();
    if (!scroller) return;
    const isAttended = document.visibilityState === 'visible' && document.hasFocus();
    const line = isHeld || !isAttended ? scroller.querySelector('[data-line]') : null;
    this.toEnd();
    if (!line) return;
    const over = LINE_PX - topOf(scroller, line);
    if (over <= 0) return;
    this.#set(scroller, scroller.scrollTop - over);
    this.#isFollowing = distanceToEnd(scroller) < END_PX;
  }

  /** Scrolls so that a row is where it was. */
  hold(anchor: Anchor): void {
    const scroller = this.#scroller();
    const moved = scroller ? movedBy(scroller, anchor) : 0;
    if (scroller && moved !== 0) this.#set(scroller, scroller.scrollTop + moved);
  }

  /** Scrolls by a number of pixels, and follows the end no longer. */
  scrollBy(pixels: number): void {
    const scroller = this.#scroller();
    if (scroller) this.#set(scroller, scroller.scrollTop + pixels);
    this.#isFollowing = false;
  }

  /** Takes a scroll event. @returns whether the user scrolled */
  onScroll(scroller: Element): boolean {
    const top = scroller.scrollTop;
    const isOwn = Math.abs(top - this.#ownTop) <= 1;
    // The event of our own scrolling may come after more has grown below; only the user scrolls up.
    if (this.#isFollowing && top >= this.#followedTo - 1) this.follow(false);
    else this.#isFollowing = distanceToEnd(scroller) < END_PX;
    return !isOwn;
  }

  /** After a change of the rows. @returns whether the end is on the screen */
  settle(scroller: Element): boolean {
    const isAtEnd = distanceToEnd(scroller) < END_PX;
    // Also where the list has become shorter: the height of new blocks was estimated.
    if (isAtEnd && !this.#isFollowing) {
      this.#isFollowing = true;
      this.#followedTo = scroller.scrollTop;
    }
    return isAtEnd;
  }

  /** @returns the scroll position that is reached */
  #set(scroller: Element, top: number): number {
    scroller.scrollTop = top;
    this.#ownTop = scroller.scrollTop;
    return this.#ownTop;
  }
}
