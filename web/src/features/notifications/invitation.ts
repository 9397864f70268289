const KEY = 'doorman.push-invitation';
const QUIET_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Whether the invitation was turned down lately enough not to come back.
 *
 * @param kept what was kept of it: a moment in epoch milliseconds, or anything else
 */
export function isTurnedDown(kept: string | null, now: number): boolean {
  const at = kept === null ? Number.NaN : Number(kept);
  // One of the future is of a clock that was wrong.
  return at > now - QUIET_MS && at <= now;
}

/** Of this device, whoever uses it. */
export function readTurnedDown(): boolean {
  try {
    return isTurnedDown(localStorage.getItem(KEY), Date.now());
  } catch {
    return false; // Storage is shut.
  }
}

export function keepTurnedDown(): void {
  try {
    localStorage.setItem(KEY, String(Date.now()));
  } catch {
    // Storage is shut: it comes back with the next page.
  }
}
