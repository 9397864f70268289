/**
 * Why a push service did not accept a push. The push log stores this word alone, never a text of a push service, of TLS
 * or of a socket: an endpoint may lead into the operator's network, and users read the log.
 */
export type PushWord = FailureWord | RefusalWord | 'keys_unusable';

/** No answer arrived, or nothing was sent. */
export type FailureWord =
  | 'timeout'
  | 'tls'
  | 'connect'
  /** The endpoint leads to an address that the settings do not allow. */
  | 'private_address'
  /** The endpoint is on a port that the settings do not allow. */
  | 'port'
  /** The answer is not HTTP, or the endpoint cannot be called at all. */
  | 'protocol'
  /** An error of the service itself. */
  | 'fault';

/** The meaning of an answer's status. */
export type RefusalWord = 'gone' | 'refused' | 'too_large' | 'rate_limited' | 'server_error';

/** Why a push was not accepted, waits or was given up, for programs that read the push log; '' if the outcome says it. */
export type PushReason = PushWord | keyof typeof SENTENCES | '';

const SENTENCES = {
  gave_up_24h: 'given up after 24 hours',
  refused_7_days: 'refused for 7 days',
  push_service_paused: 'its push service said so',
  push_service_refuses: 'its push service refuses us at the moment',
  quiet: 'until the quiet hours end',
  unconfirmed_rate: 'unconfirmed: at most once a minute',
  /** Written by the trigger of migration 0020. */
  removed: 'the device was removed',
} as const;

/** The reason in words: the `detail` of a log entry, which programs read before there was `reason`. */
export function toDetail(reason: PushReason): string {
  return (SENTENCES as Partial<Record<PushReason, string>>)[reason] ?? reason;
}
