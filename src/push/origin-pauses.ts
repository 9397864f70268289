/** So many devices that were told before are refused within so long, and it is not the devices (DESIGN 7). */
const REFUSED_DEVICES = 3;
const WITHIN_MS = 10 * 60_000;
const PAUSE_MS = 10 * 60_000;
const MAX_REMEMBERED = 1_000;

/**
 * Push services that seem to refuse us altogether, such as for our VAPID key. Only confirmed devices to which something
 * was sent before count, so nobody can silence a push service with subscriptions he made up.
 */
export class OriginPauses {
  readonly #refusals = new Map<string, Map<string, number>>();
  readonly #pauses = new Map<string, number>();

  /** A confirmed device that had been told before was answered 401 or 403. */
  noteRefusal(origin: string, subscriptionId: string, now: number): void {
    const refused = this.#refusals.get(origin) ?? new Map<string, number>();
    for (const [id, at] of refused) if (at <= now - WITHIN_MS) refused.delete(id);
    refused.set(subscriptionId, now);
    // The one used last comes last, and the first gives way.
    this.#refusals.delete(origin);
    this.#refusals.set(origin, refused);
    if (this.#refusals.size > MAX_REMEMBERED) this.#refusals.delete(this.#refusals.keys().next().value ?? '');
    if (refused.size < REFUSED_DEVICES) return;
    this.#pauses.set(origin, now + PAUSE_MS);
    this.#refusals.delete(origin);
  }

  /** Until when nothing is sent there, epoch milliseconds; 0 if something may be. */
  pausedUntil(origin: string, now: number): number {
    const until = this.#pauses.get(origin) ?? 0;
    if (until > now) return until;
    this.#pauses.delete(origin);
    return 0;
  }
}
