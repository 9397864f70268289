/** So many devices that were told before are refused within so long, and it is not the devices (architecture 8.4). */
const REFUSED_DEVICES = 3;
const WITHIN_MS = 10 * 60_000;
const PAUSE_MS = 10 * 60_000;
const MAX_REMEMBERED = 1_000;

/**
 * Push services that seem to refuse us altogether, such as for our VAPID key. Only confirmed devices to which something
 * was sent before count, so no one can silence a push service with invented subscriptions. All times are monotonic
 * milliseconds: a wall clock that is set changes nothing here.
 */
export class OriginPauses {
  readonly #refusals = new Map<string, Map<string, number>>();
  readonly #pauses = new Map<string, number>();

  /** A confirmed device that had been told before was answered 401 or 403. */
  noteRefusal(origin: string, subscriptionId: string, nowMs: number): void {
    const refused = this.#refusals.get(origin) ?? new Map<string, number>();
    for (const [id, at] of refused) if (at <= nowMs - WITHIN_MS) refused.delete(id);
    refused.set(subscriptionId, nowMs);
    // The one used last comes last, and the first gives way.
    this.#refusals.delete(origin);
    this.#refusals.set(origin, refused);
    if (this.#refusals.size > MAX_REMEMBERED) this.#refusals.delete(this.#refusals.keys().next().value ?? '');
    if (refused.size < REFUSED_DEVICES) return;
    this.#pauses.set(origin, nowMs + PAUSE_MS);
    this.#refusals.delete(origin);
  }

  /** For how long nothing is sent there, in milliseconds; 0 if something may be. */
  pausedForMs(origin: string, nowMs: number): number {
    const restMs = (this.#pauses.get(origin) ?? nowMs) - nowMs;
    if (restMs > 0) return restMs;
    this.#pauses.delete(origin);
    return 0;
  }
}
