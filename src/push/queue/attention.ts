import { KeyCounts } from '../../collections/key-counts.ts';

/** An attentive device acknowledged its user's inbox up to `seq`. */
export interface Acknowledgement {
  readonly userId: string;
  readonly seq: number;
  readonly device: string;
}

/**
 * Which users have an attentive device connected, one that is visible and active (architecture 8.1), and what such devices
 * acknowledged. The sockets of this process write it; push decisions read it.
 */
export class Attention {
  readonly #userOf = new Map<object, string>();
  readonly #attentive = new KeyCounts();
  #acknowledged = new Map<string, Acknowledgement>();
  #onAcknowledged: () => void = () => {};
  #onChange: (userId: string) => void = () => {};
  #isElsewhere: (userId: string) => boolean = () => false;

  setAttentive(connection: object, userId: string, attentive: boolean): void {
    if (this.#userOf.has(connection) === attentive) return;
    if (attentive) {
      this.#userOf.set(connection, userId);
      if (this.#attentive.add(userId, 1) === 1) this.#onChange(userId);
    } else this.remove(connection);
  }

  remove(connection: object): void {
    const userId = this.#userOf.get(connection);
    if (userId === undefined) return;
    this.#userOf.delete(connection);
    if (this.#attentive.add(userId, -1) === 0) this.#onChange(userId);
  }

  /** Whether an attentive device of the user is connected to this process. */
  isAttentive(userId: string): boolean {
    return this.#attentive.get(userId) > 0;
  }

  /**
   * Whether an attentive device may be connected to any node. If it is not true, a message is decided on at once; if it is, a
   * little later. So a wrong answer never costs a push (architecture 8.1).
   */
  mayBeAttentive(userId: string): boolean {
    return this.isAttentive(userId) || this.#isElsewhere(userId);
  }

  /** @param isElsewhere whether an attentive device of the user may be connected to another node */
  askElsewhere(isElsewhere: (userId: string) => boolean): void {
    this.#isElsewhere = isElsewhere;
  }

  /** @param listener called when a user's first attentive device came, or the last one left */
  onChange(listener: (userId: string) => void): void {
    this.#onChange = listener;
  }

  /**
   * Records that an attentive device acknowledged the user's inbox up to `seq`, before or after it became attentive. The
   * worker cancels pushes a little later, for all acknowledgements until then together.
   */
  acknowledge(userId: string, seq: number, device: string): void {
    const known = this.#acknowledged.get(userId);
    if (known && known.seq >= seq) return;
    this.#acknowledged.set(userId, { userId, seq, device });
    if (this.#acknowledged.size === 1 && !known) this.#onAcknowledged();
  }

  /** Returns and clears the acknowledgements since the last call. */
  drain(): Acknowledgement[] {
    const acknowledged = [...this.#acknowledged.values()];
    this.#acknowledged = new Map();
    return acknowledged;
  }

  /** @param listener called at the first acknowledgement after a {@link drain} */
  onAcknowledged(listener: () => void): void {
    this.#onAcknowledged = listener;
  }
}
