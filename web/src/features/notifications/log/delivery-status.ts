import type { PushLogEntry } from 'doorman-client';

/** Why the service tries again later. */
type WaitReason =
  /** The push service asked for a pause. */
  | 'paused'
  /** The push service refused the push, which may be temporary. */
  | 'refused'
  /** The device is unconfirmed: it gets at most one push a minute. */
  | 'unconfirmed'
  /** The user's quiet hours. */
  | 'quiet'
  /** The push service did not answer, or answered with an error of its own. */
  | 'trouble';

/** Why a test notification failed. */
export type TestFailure = 'refused' | 'busy' | 'timeout' | 'private' | 'port' | 'unreachable';

/** Why the service sent no notification. */
type NotSentReason =
  | (
      | 'dnd'
      | 'quiet'
      | 'muted'
      | 'unsent'
      | 'off'
      | 'blocked'
      | 'request'
      | 'no_device'
      | 'account_closed'
      | 'already_notified'
      | 'unconfirmed'
    )
  | ('unusable' | 'gone' | 'gone_refused' | 'removed' | 'given_up' | 'port' | 'seen');

/** The result of one notification, from which its sentence is made. Moments are epoch milliseconds. */
export type DeliveryStatus =
  | { is: 'clicked' | 'shown'; at: number }
  /** The push service accepted it; the device has not reported that it showed it. */
  | { is: 'handed' }
  | { is: 'waiting'; until: number; for: WaitReason }
  | { is: 'not_sent'; reason: NotSentReason }
  /** `on`: the device's name for itself. */
  | { is: 'seen_on'; on: string }
  | { is: 'test_failed'; why: TestFailure }
  | { is: 'unknown' };

/** Why there is no device any more, where its push service is not what says so. */
const GONE: Partial<Record<string, NotSentReason>> = { refused_7_days: 'gone_refused', removed: 'removed' };

/** The status of an entry of the push log; `unknown` for the words of a newer service. */
export function deliveryStatus(entry: PushLogEntry): DeliveryStatus {
  const { outcome, clicked, shown, reason, detail, waiting_until: until } = entry;
  if (clicked !== null) return { is: 'clicked', at: clicked };
  if (shown !== null) return { is: 'shown', at: shown };
  switch (outcome) {
    case 'accepted':
      return { is: 'handed' };
    case 'waiting':
      return { is: 'waiting', until: until ?? entry.at, for: waitReason(entry) };
    case 'seen':
      return detail === '' ? { is: 'not_sent', reason: 'seen' } : { is: 'seen_on', on: detail };
    case 'gone':
      return { is: 'not_sent', reason: GONE[reason] ?? 'gone' };
    case 'refused':
    case 'failed':
      if (entry.kind === 'test') return { is: 'test_failed', why: testFailure(entry) };
      return { is: 'not_sent', reason: reason === 'port' ? 'port' : 'given_up' };
    case 'unusable':
    case 'dnd':
    case 'quiet':
    case 'muted':
    case 'unsent':
    case 'off':
    case 'blocked':
    case 'request':
    case 'no_device':
    case 'account_closed':
    case 'already_notified':
    case 'unconfirmed':
      return { is: 'not_sent', reason: outcome };
    default:
      return { is: 'unknown' };
  }
}

/** Decided by the HTTP status if there is one, else by `reason`. */
function waitReason({ status, reason }: PushLogEntry): WaitReason {
  if (status === 429 || status === 503) return 'paused';
  if (status !== null) return status >= 500 ? 'trouble' : 'refused';
  if (reason === 'unconfirmed_rate') return 'unconfirmed';
  if (reason === 'quiet') return 'quiet';
  if (reason === 'private_address' || reason === 'push_service_refuses') return 'refused';
  return reason === 'push_service_paused' ? 'paused' : 'trouble';
}

function testFailure({ status, reason }: PushLogEntry): TestFailure {
  if (status !== null) return status === 429 || status >= 500 ? 'busy' : 'refused';
  if (reason === 'timeout') return 'timeout';
  if (reason === 'port') return 'port';
  return reason === 'private_address' ? 'private' : 'unreachable';
}

/** Details for support, hidden until the user opens them; empty where there are none. */
export function technicalDetail(entry: PushLogEntry): string {
  const { outcome, status, detail } = entry;
  const { is } = deliveryStatus(entry);
  if (is === 'shown' || is === 'clicked') return '';
  const parts = [
    status === null ? '' : `HTTP ${status}`,
    is === 'unknown' ? outcome : '',
    outcome === 'seen' ? '' : detail,
  ];
  return parts.filter((part) => part !== '').join(' · ');
}
