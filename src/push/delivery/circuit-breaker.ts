/** As many devices rejected within {@link WITHIN_MS} mean that the push service rejects us, not them (architecture 8.4). */
const REJECTED_DEVICES = 3;
const WITHIN_MS = 10 * 60_000;
const PAUSE_MS = 10 * 60_000;
const MAX_REMEMBERED = 1_000;

/**
 * Pauses push services that reject every push of this service, for example its VAPID key. Only confirmed devices with an
 * earlier success count, so invented subscriptions cannot pause a push service. All times are monotonic milliseconds,
 * so setting the wall clock has no effect.
 */
export class CircuitBreaker {
  readonly #rejections = new Map<string, Map<string, number>>();
  readonly #openUntil = new Map<string, number>();

  /** Records that a push to a confirmed device with an earlier success was answered 401 or 403. */
  recordRejection(origin: string, subscriptionId: string, nowMs: number): void {
    const rejected = this.#rejections.get(origin) ?? new Map<string, number>();
    for (const [id, at] of rejected) if (at <= nowMs - WITHIN_MS) rejected.delete(id);
    rejected.set(subscriptionId, nowMs);
    // In the order of their last use; the first is dropped.
    this.#rejections.delete(origin);
    this.#rejections.set(origin, rejected);
    if (this.#rejections.size > MAX_REMEMBERED)
      this.#rejections.delete(this.#rejections.keys().next().value ?? '');
    if (rejected.size < REJECTED_DEVICES) return;
    this.#openUntil.set(origin, nowMs + PAUSE_MS);
    this.#rejections.delete(origin);
  }

  /** How long the origin is still paused, in milliseconds; 0 if it is not. */
  openForMs(origin: string, nowMs: number): number {
    const leftMs = (this.#openUntil.get(origin) ?? nowMs) - nowMs;
    if (leftMs > 0) return leftMs;
    this.#openUntil.delete(origin);
    return 0;
  }
}
