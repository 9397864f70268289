import type { PushLogOutcome } from '../schemas.ts';
import type { PushReason, PushWord } from '../webpush/push-words.ts';
import type { PushResponse } from '../webpush/request.ts';
import { toPushWord } from '../webpush/request.ts';
import { readRetryAfterMs } from '../webpush/retry-after.ts';

/** What became of a job. `reason` is for the log. */
export type Outcome =
  | { kind: 'accepted'; status: number }
  /** The subscription is no more. */
  | { kind: 'gone'; status: number; reason: PushWord }
  /** It is not for this device; nothing is sent, and nothing will be. */
  | { kind: 'dropped'; outcome: PushLogOutcome; status?: number | null; reason?: PushReason }
  /** The keys are none. */
  | { kind: 'unusable'; reason: PushWord }
  /** It was too large, and is sent again in its short form. */
  | { kind: 'shortened' }
  /** Nobody is to blame: it waits, and the try does not count. */
  | { kind: 'postponed'; until: number; status: number | null; reason: PushReason }
  /** It failed, and is tried again. */
  | { kind: 'retried'; until: number; status: number | null; reason: PushWord }
  /** The push service wants nothing for this device until then. */
  | { kind: 'silenced'; until: number; status: number; reason: PushWord }
  /** The push service does not take this subscription from us. */
  | { kind: 'refused'; status: number | null; reason: PushWord };

const FIRST_RETRY_MS = 1_000;
/** Of a `Retry-After`, and between two tries. */
export const LONGEST_WAIT_MS = 60 * 60 * 1000;
const KEPT_MS = 24 * 60 * 60 * 1000;
const SET_ASIDE_MS = 60 * 60 * 1000;
/** Without one success for so long, a subscription that is refused goes. */
const REFUSED_KEPT_MS = 7 * 24 * 60 * 60 * 1000;
export const LONGEST_SET_ASIDE_MS = REFUSED_KEPT_MS;

/** Of a job, all that an answer is judged by. */
export interface Tried {
  readonly tries: number;
  /** When the newest message of it was decided on, epoch milliseconds. */
  readonly since: number;
  readonly short: number;
}

/**
 * What an answer of a push service means (architecture 8.4; RFC 8030 5 and 7, RFC 8292 4).
 *
 * @param random from 0 to 1, so that what failed together does not come back together
 */
export function judgeAnswer(answer: PushResponse, job: Tried, now: number, random: number): Outcome {
  if (answer.kind === 'accepted') return { kind: 'accepted', status: answer.status };
  const reason = toPushWord(answer);
  if (answer.kind === 'failed') {
    // Where we may not connect to, trying again soon would not help.
    if (answer.word === 'private_address') return { kind: 'refused', status: null, reason };
    // It stays for the day when the port is allowed.
    if (answer.word === 'port') return { kind: 'dropped', outcome: 'failed', reason };
    return tryAgain(job, null, reason, now, random);
  }
  const { status } = answer;
  if (status === 404 || status === 410) return { kind: 'gone', status, reason };
  if (status === 413 && job.short === 0) return { kind: 'shortened' };
  if (status === 429 || status === 503) {
    const askedMs = readRetryAfterMs(answer.retryAfter, now);
    if (askedMs === undefined) return tryAgain(job, status, reason, now, random);
    const waitMs = Math.min(Math.max(askedMs, FIRST_RETRY_MS), LONGEST_WAIT_MS);
    return { kind: 'silenced', until: now + waitMs, status, reason };
  }
  if (status >= 500) return tryAgain(job, status, reason, now, random);
  return { kind: 'refused', status, reason };
}

/** Until when a subscription is set aside that was refused once more; `undefined` if it goes. */
export function setAsideUntil(
  { refusals, refused_since: since }: { refusals: number; refused_since: number | null },
  now: number,
): number | undefined {
  if (since === null) return now + SET_ASIDE_MS;
  const end = since + REFUSED_KEPT_MS;
  if (now >= end) return undefined;
  return Math.min(now + SET_ASIDE_MS * 2 ** refusals, end);
}

function tryAgain(
  { tries, since }: Tried,
  status: number | null,
  reason: PushWord,
  now: number,
  random: number,
): Outcome {
  if (now - since >= KEPT_MS) return { kind: 'dropped', outcome: 'failed', status, reason };
  const longest = Math.min(FIRST_RETRY_MS * 2 ** tries, LONGEST_WAIT_MS);
  return { kind: 'retried', until: now + Math.ceil(longest * (0.5 + random / 2)), status, reason };
}
