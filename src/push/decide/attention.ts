/** An attentive device acknowledged its user's inbox up to `seq`. */
export interface Acknowledgement {
  readonly userId: string;
  readonly seq: number;
  readonly device: string;
}

/**
 * Which users may have an attentive device connected, one that is visible and active (architecture 8.1), and what such devices
 * acknowledged. Push decisions read it.
 */
export class Attention {
  #acknowledged = new Map<string, Acknowledgement>();
  /** Called at the first acknowledgement after a {@link drain}; the worker sets it. */
  onAcknowledged: () => void = () => {};
  /**
   * Whether an attentive device may be connected to any node, which presence says. If it is not true, a message is decided on at once;
   * if it is, a little later. So a wrong answer never costs a push (architecture 8.1).
   */
  mayBeAttentive: (userId: string) => boolean = () => false;

  /**
   * Records that an attentive device acknowledged the user's inbox up to `seq`, before or after it became attentive. The
   * worker cancels pushes a little later, for all acknowledgements until then together.
   */
  acknowledge(userId: string, seq: number, device: string): void {
    const known = this.#acknowledged.get(userId);
    if (known && known.seq >= seq) return;
    this.#acknowledged.set(userId, { userId, seq, device });
    if (this.#acknowledged.size === 1 && !known) this.onAcknowledged();
  }

  /** Returns and clears the acknowledgements since the last call. */
  drain(): Acknowledgement[] {
    const acknowledged = [...this.#acknowledged.values()];
    this.#acknowledged = new Map();
    return acknowledged;
  }
}
