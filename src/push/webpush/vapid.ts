import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';

/** A P-256 pair as URL-safe Base64 without padding: the 65-byte point (interface 4.13) and the 32-byte scalar. */
export interface VapidKeys {
  publicKey: string;
  privateKey: string;
}

export interface VapidSigner {
  readonly publicKey: string;
  /** The `Authorization` header for the push service at `origin` (`https://push.example.net`). */
  header(origin: string): string;
}

const CACHED_MS = 12 * 3_600_000;

/** Push services refuse 24 h and more (RFC 8292 2); the difference allows for clocks that disagree. */
const LIFETIME_MS = 18 * 3_600_000;

const MAX_ORIGINS = 1_000;

export function makeVapidKeys(): VapidKeys {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    publicKey: publicKey.export({ format: 'raw-public' }).toString('base64url'),
    privateKey: privateKey.export({ format: 'raw-private' }).toString('base64url'),
  };
}

/**
 * Opens a signer of requests to push services (RFC 8292 2 and 3, ES256). It caches a header per origin for 12 h, as
 * signing costs a fifth of encrypting a message; of more than 1,000 origins the oldest header is dropped.
 *
 * @param subject a `mailto:` or `https:` URL by which a push service can reach the operator (RFC 8292 2.1)
 * @param now epoch milliseconds
 * @throws {Error} if the two keys are no pair
 */
export function openVapid({
  keys,
  subject,
  now,
}: {
  keys: VapidKeys;
  subject: string;
  now: () => number;
}): VapidSigner {
  const { publicKey } = keys;
  const key = createPrivateKey({
    key: Buffer.from(keys.privateKey, 'base64url'),
    format: 'raw-private',
    asymmetricKeyType: 'ec',
    namedCurve: 'P-256',
  });
  if (createPublicKey(key).export({ format: 'raw-public' }).toString('base64url') !== publicKey) {
    throw new Error('The VAPID public key does not belong to the private key');
  }
  const cached = new Map<string, { madeAt: number; header: string }>();

  function signHeader(origin: string, madeAt: number): string {
    const claims = { aud: origin, exp: Math.floor((madeAt + LIFETIME_MS) / 1000), sub: subject };
    const input = `${encodePart({ typ: 'JWT', alg: 'ES256' })}.${encodePart(claims)}`;
    const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
    return `vapid t=${input}.${signature.toString('base64url')}, k=${publicKey}`;
  }

  return {
    publicKey,
    header(origin) {
      const at = now();
      const known = cached.get(origin);
      // If the clock was set back, a cached header would expire too far in the future.
      if (known && at >= known.madeAt && at < known.madeAt + CACHED_MS) return known.header;
      const header = signHeader(origin, at);
      cached.delete(origin);
      cached.set(origin, { madeAt: at, header });
      if (cached.size > MAX_ORIGINS) cached.delete(cached.keys().next().value ?? origin);
      return header;
    },
  };
}

function encodePart(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
