import type { PushLogEntry } from 'doorman-client';

/** Why a push service is asked again later. */
export type WaitingFor =
  /** It wants nothing for a while. */
  | 'paused'
  /** It did not take the push, and may later. */
  | 'refused'
  /** The device is one of those that are told at most once a minute. */
  | 'unconfirmed'
  /** It did not answer, or has trouble of its own. */
  | 'trouble';

/** Why a test did not come through. */
export type TestFailure = 'refused' | 'busy' | 'timeout' | 'private' | 'port' | 'unreachable';

/** Why nobody was told of a message. */
export type Reason =
  | ('dnd' | 'off' | 'blocked' | 'no_device' | 'account_closed' | 'already_notified' | 'unconfirmed')
  | ('unusable' | 'gone' | 'gone_refused' | 'given_up' | 'port' | 'seen');

/** What became of one notification, ready for words. Moments are epoch milliseconds. */
export type Fate =
  | { is: 'clicked' | 'shown'; at: number }
  /** The push service has it; the device has not said that it shows it. */
  | { is: 'handed' }
  | { is: 'waiting'; until: number; for: WaitingFor }
  | { is: 'not_sent'; reason: Reason }
  /** `on`: that device's own word for itself. */
  | { is: 'seen_on'; on: string }
  | { is: 'test_failed'; why: TestFailure }
  | { is: 'unknown' };

/** Reads an entry of the push log; whatever a newer service may say becomes `unknown`. */
export function fateOf(entry: PushLogEntry): Fate {
  const { outcome, clicked, shown, reason, detail, waiting_until: until } = entry;
  if (clicked !== null) return { is: 'clicked', at: clicked };
  if (shown !== null) return { is: 'shown', at: shown };
  switch (outcome) {
    case 'accepted':
      return { is: 'handed' };
    case 'waiting':
      return { is: 'waiting', until: until ?? entry.at, for: whyWaiting(entry) };
    case 'seen':
      return detail === '' ? { is: 'not_sent', reason: 'seen' } : { is: 'seen_on', on: detail };
    case 'gone':
      return { is: 'not_sent', reason: reason === 'refused_7_days' ? 'gone_refused' : 'gone' };
    case 'refused':
    case 'failed':
      if (entry.kind === 'test') return { is: 'test_failed', why: whyFailed(entry) };
      return { is: 'not_sent', reason: reason === 'port' ? 'port' : 'given_up' };
    case 'unusable':
    case 'dnd':
    case 'off':
    case 'blocked':
    case 'no_device':
    case 'account_closed':
    case 'already_notified':
    case 'unconfirmed':
      return { is: 'not_sent', reason: outcome };
    default:
      return { is: 'unknown' };
  }
}

/** By the status where there is one, else by the service's own word. */
function whyWaiting({ status, reason }: PushLogEntry): WaitingFor {
  if (status === 429 || status === 503) return 'paused';
  if (status !== null) return status >= 500 ? 'trouble' : 'refused';
  if (reason === 'unconfirmed_rate') return 'unconfirmed';
  if (reason === 'private_address' || reason === 'push_service_refuses') return 'refused';
  return reason === 'push_service_paused' ? 'paused' : 'trouble';
}

function whyFailed({ status, reason }: PushLogEntry): TestFailure {
  if (status !== null) return status === 429 || status >= 500 ? 'busy' : 'refused';
  if (reason === 'timeout') return 'timeout';
  if (reason === 'port') return 'port';
  return reason === 'private_address' ? 'private' : 'unreachable';
}

/** Details for support, folded away. Empty where there are none. */
export function technicalDetail(entry: PushLogEntry): string {
  const { outcome, status, detail } = entry;
  const { is } = fateOf(entry);
  if (is === 'shown' || is === 'clicked') return '';
  const parts = [
    status === null ? '' : `HTTP ${status}`,
    is === 'unknown' ? outcome : '',
    outcome === 'seen' ? '' : detail,
  ];
  return parts.filter((part) => part !== '').join(' · ');
}
