/**
 * Half of a token's lifetime, after which it is renewed. Only the lifetime is read from the token (RFC 7519: `iat`, `exp`),
 * since this device's clock may differ from the service's.
 *
 * @returns milliseconds
 */
export function halfLifeMs(token: string): number {
  const { iat, exp } = readClaims(token);
  return typeof iat === 'number' && typeof exp === 'number' ? Math.max(0, (exp - iat) * 500) : 0;
}

/** The id of a token's session. Renewed tokens have the same. */
export function sessionIdOf(token: string): unknown {
  return readClaims(token).sid;
}

function readClaims(token: string): { iat?: unknown; exp?: unknown; sid?: unknown } {
  try {
    const [, payload = ''] = token.split('.');
    const claims: unknown = JSON.parse(atob(payload.replace(/-/g, '+').replace(/_/g, '/')));
    return typeof claims === 'object' && claims !== null ? claims : {};
  } catch {
    return {}; // not a token of the service, which will refuse it
  }
}
