/**
 * When a token that came just now is to be renewed: at half of its life. By this device's clock alone, which may be
 * wrong: what counts is how long the token lasts, as it says itself (RFC 7519: `iat`, `exp`).
 *
 * @returns epoch milliseconds
 */
export function renewalOf(token: string, now: number): number {
  const { iat, exp } = readClaims(token);
  return typeof iat === 'number' && typeof exp === 'number' ? now + Math.max(0, (exp - iat) * 500) : now;
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
