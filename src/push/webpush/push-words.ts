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

/** What the status of an answer means. */
export type RefusalWord = 'gone' | 'refused' | 'too_large' | 'rate_limited' | 'server_error';

/** `detail` of an entry in the push log: a word, or the reason why a push waits or was given up. */
export type PushDetail =
  | PushWord
  | 'given up after 24 hours'
  | 'its push service said so'
  | 'its push service refuses us at the moment'
  | 'unconfirmed: at most once a minute';
