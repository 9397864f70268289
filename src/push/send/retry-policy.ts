import type { PushLogOutcome } from '../schemas.ts';
import type { PushReason, PushWord } from '../webpush/push-words.ts';
import type { PushResponse } from '../webpush/request.ts';
import { toPushWord } from '../webpush/request.ts';
import { readRetryAfterMs } from '../webpush/retry-after.ts';

/** The result of an attempt to send a job. `reason` is for the log. */
export type Result =
  /** The job ends: sent, or not to be sent. With `gone` the subscription is removed, with `unusable` its keys are invalid. */
  | { kind: 'ended'; outcome: PushLogOutcome; status?: number | null; reason?: PushReason }
  /** The payload was too large; the short one is sent next. */
  | { kind: 'truncated' }
  /** It was cancelled before a byte was sent; if it is still stored, it is due again. */
  | { kind: 'withdrawn' }
  /** The job waits; this does not count as an attempt. */
  | { kind: 'deferred'; until: number; status: number | null; reason: PushReason }
  /** The attempt failed; there will be another. */
  | { kind: 'retried'; until: number; status: number | null; reason: PushWord }
  /** The push service wants no push for this device until then. */
  | { kind: 'rate_limited'; until: number; status: number; reason: PushWord }
  /** The push service refuses this subscription. */
  | { kind: 'refused'; status: number | null; reason: PushWord };

const FIRST_RETRY_MS = 1_000;
/** The upper bound of a `Retry-After`, and of the wait between two attempts. */
export const LONGEST_WAIT_MS = 60 * 60 * 1000;
const GIVE_UP_AFTER_MS = 24 * 60 * 60 * 1000;
const SUSPENSION_MS = 60 * 60 * 1000;
/** A subscription that is refused without a success for this time is removed. */
export const REMOVE_AFTER_MS = 7 * 24 * 60 * 60 * 1000;

/** The parts of a job on which {@link classifyResponse} depends. */
interface Attempt {
  readonly attempts: number;
  /** When the decision about its newest message was made, epoch milliseconds. */
  readonly decided_at: number;
  readonly short: number;
}

/**
 * Decides what follows from a push service's answer (architecture 8.4; RFC 8030 5 and 7, RFC 8292 4).
 *
 * @param random from 0 to 1, for jitter: jobs that failed together are not retried together
 */
export function classifyResponse(answer: PushResponse, job: Attempt, now: number, random: number): Result {
  if (answer.kind === 'accepted') return { kind: 'ended', outcome: 'accepted', status: answer.status };
  const reason = toPushWord(answer);
  if (answer.kind === 'failed') {
    // The address is not allowed, so trying again soon would not help.
    if (answer.word === 'private_address') return { kind: 'refused', status: null, reason };
    // The subscription stays, as the settings may allow the port later.
    if (answer.word === 'port') return { kind: 'ended', outcome: 'failed', reason };
    return tryAgain(job, null, reason, now, random);
  }
  const { status } = answer;
  if (status === 404 || status === 410) return { kind: 'ended', outcome: 'gone', status, reason };
  if (status === 413 && job.short === 0) return { kind: 'truncated' };
  if (status === 429 || status === 503) {
    const askedMs = readRetryAfterMs(answer.retryAfter, now);
    if (askedMs === undefined) return tryAgain(job, status, reason, now, random);
    const waitMs = Math.min(Math.max(askedMs, FIRST_RETRY_MS), LONGEST_WAIT_MS);
    return { kind: 'rate_limited', until: now + waitMs, status, reason };
  }
  if (status >= 500) return tryAgain(job, status, reason, now, random);
  return { kind: 'refused', status, reason };
}

/** Until when a subscription is suspended after another refusal; `undefined` if it is to be removed. */
export function suspendedUntil(
  { refusals, refused_since: since }: { refusals: number; refused_since: number | null },
  now: number,
): number | undefined {
  if (since === null) return now + SUSPENSION_MS;
  const end = since + REMOVE_AFTER_MS;
  if (now >= end) return undefined;
  return Math.min(now + SUSPENSION_MS * 2 ** refusals, end);
}

function tryAgain(
  { attempts, decided_at: decidedAt }: Attempt,
  status: number | null,
  reason: PushWord,
  now: number,
  random: number,
): Result {
  if (now - decidedAt >= GIVE_UP_AFTER_MS) return { kind: 'ended', outcome: 'failed', status, reason };
  const longest = Math.min(FIRST_RETRY_MS * 2 ** attempts, LONGEST_WAIT_MS);
  return { kind: 'retried', until: now + Math.ceil(longest * (0.5 + random / 2)), status, reason };
}
