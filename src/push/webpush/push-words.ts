/**
 * Why a push was not taken. No text of a push service, of TLS or of a socket is kept beside it: an endpoint may lead
 * into the operator's network, and users read the log.
 */
export type PushWord = FailureWord | RefusalWord | 'keys_unusable';

/** No answer came, or nothing was sent. */
export type FailureWord =
  | 'timeout'
  | 'tls'
  | 'connect'
  /** The endpoint leads to an address that the settings do not allow. */
  | 'private_address'
  /** The endpoint is on a port that the settings do not allow. */
  | 'port'
  /** What came is not HTTP, or the endpoint cannot be called at all. */
  | 'protocol'
  /** An error of the service itself. */
  | 'fault';

/** What the status of an answer means. */
export type RefusalWord = 'gone' | 'refused' | 'too_large' | 'rate_limited' | 'server_error';

/** What the push log says of a push that waits or was given up. */
export type PushDetail =
  | PushWord
  | 'given up after 24 hours'
  | 'its push service said so'
  | 'its push service refuses us at the moment'
  | 'unconfirmed: at most once a minute';
