/**
 * Half of a token's life, after which it is to be renewed. Only how long the token lasts is read from it (RFC 7519: `iat`,
 * `exp`), since this device's clock may differ from the service's.
 *
 * @returns milliseconds
 */
export function halfLifeMs(token: string): number {
  const { iat, exp } = readClaims(token);
  return typeof iat === 'number' && typeof exp === 'number' ? Math.max(0, (exp - iat) * 500) : 0;
}

/** The session that a token belongs to: the newer ones of a session say the same. */
export function sessionIdOf(token: string): unknown {
  return readClaims(token).sid;
}

function readClaims(token: string): { iat?: unknown; exp?: unknown; sid?: unknown } {
  try {
    const [, payload = ''] = token.split('.');
    const claims: unknown = JSON.parse(atob(payload.replace(/-/g, '+').replace(/_/g, '/')));
    return typeof claims === 'object' && claims !== null ? claims : {};
  } catch {
    return {}; // not one of the service's: it will be refused
  }
}
