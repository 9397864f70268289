import { isIP } from 'node:net';
import { buildConnector, errors } from 'undici';
import { type AddressRule, guardedLookup, PrivateAddressError, type Resolve } from './endpoint-guard.ts';

/** TLS failed on an open connection: wrong certificate or version, or the server does not speak TLS. */
export class TlsError extends Error {
  override readonly name = 'TlsError';
}

/**
 * A connector for undici that connects only to addresses that pass {@link guardedLookup} or, if literal, `isAllowed`.
 * TLS starts on that same connection, so no second lookup can lead elsewhere. HTTP/1.1 only.
 *
 * @param timeoutMs for DNS, connection and TLS together
 * @throws by its callback: {PrivateAddressError}; {TlsError}; `ConnectTimeoutError` of undici; errors of `net` and DNS
 */
export function guardedConnector({
  isAllowed,
  resolve,
  timeoutMs,
}: {
  isAllowed: AddressRule;
  resolve?: Resolve | undefined;
  timeoutMs: number;
}): buildConnector.connector {
  const timeout = timeoutMs / 2;
  const connectTcp = buildConnector({ lookup: guardedLookup({ isAllowed, resolve }), timeout });
  const connectTls = buildConnector({ allowH2: false, timeout });

  return (target, callback) => {
    const { hostname, protocol } = target;
    if (isIP(hostname) !== 0 && !isAllowed(hostname)) {
      return callback(new PrivateAddressError('The address is not allowed'), null);
    }
    const port = target.port || (protocol === 'https:' ? '443' : '80');
    connectTcp({ hostname, port, protocol: 'http:' }, (error, socket) => {
      if (error || protocol !== 'https:') return error ? callback(error, null) : callback(null, socket);
      connectTls({ ...target, httpSocket: socket }, (cause, secure) => {
        if (!cause) return callback(null, secure);
        if (cause instanceof errors.ConnectTimeoutError) return callback(cause, null);
        callback(new TlsError('no TLS', { cause }), null);
      });
    });
  };
}
