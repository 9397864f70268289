/** What to do after a connection ended (docs/protocol.md, Close codes). */
type ReconnectAction =
  | 'later'
  | 'spread'
  | 'new-token'
  | 'suspended'
  | 'leaving'
  | 'ended'
  | 'replaced'
  | 'rejected'
  | 'broken';

/**
 * @param code 1006 when the connection broke
 * @param isDraining the service had announced that it stops
 */
export function classifyClose(code: number, reason: string, isDraining: boolean): ReconnectAction {
  switch (code) {
    case 4401:
      return 'new-token';
    case 4403:
      return reason === 'account_leaving' ? 'leaving' : 'suspended';
    case 4409:
      return 'ended';
    case 4429:
      return reason === 'too_many_sockets' ? 'replaced' : 'later';
    case 1002:
    case 1007:
      return 'rejected';
    case 1003:
    case 1008:
    case 1009:
    case 4413:
      return 'broken';
    default:
      return isDraining ? 'spread' : 'later';
  }
}

/** A random time up to one that doubles with each failure ("full jitter"). @param failures from 0 */
export function backoffMs(failures: number, firstMs: number, maxMs: number): number {
  return Math.random() * Math.min(maxMs, firstMs * 2 ** Math.min(failures, 30));
}
