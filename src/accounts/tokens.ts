import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  jwtVerify,
  SignJWT,
} from 'jose';
import type { Db } from '../db/db.ts';
import { getOrCreateValue, lockValue, replaceValue } from '../db/installation-values.ts';
import { recordExternalChange } from '../events/changes.ts';
import type { Caller } from '../http/authenticate.ts';

const KEYS = 'jwt-keys';
const ISSUER = 'issuer';
const ALGORITHM = 'EdDSA';
const TOKEN_TYPE = 'JWT';
/** `at+jwt` until the last token of an earlier version expires. */
const ACCEPTED_TYPES: readonly unknown[] = [TOKEN_TYPE, 'at+jwt'];
/** Longer than any token of this service; a longer text is refused without parsing. */
const MAX_TOKEN_LENGTH = 2048;

/** A signing key as it is stored: the newest signs, all verify. */
interface StoredKey {
  readonly createdAt: number;
  readonly jwk: JWK & { kid: string };
}

export type Tokens = Awaited<ReturnType<typeof openTokens>>;

/**
 * Signed tokens (RFC 7519): Ed25519, `typ` JWT, `sub` the user, `sid` the session. Earlier versions wrote `at+jwt`, which
 * requires claims that these tokens do not have (RFC 9068, 2.2: `aud`, `client_id`, `jti`).
 *
 * @param ttlSeconds how long a new token is valid
 */
export async function openTokens(db: Db, ttlSeconds: number, now: () => number) {
  let signing = await readSigningKeys(db, now());
  return {
    async issue(userId: string, sessionId: string): Promise<string> {
      const { issuer, kid, key } = signing;
      const seconds = Math.floor(now() / 1000);
      return new SignJWT({ sid: sessionId })
        .setProtectedHeader({ alg: ALGORITHM, typ: TOKEN_TYPE, kid })
        .setSubject(userId)
        .setIssuer(issuer)
        .setIssuedAt(seconds)
        .setExpirationTime(seconds + ttlSeconds)
        .sign(key);
    },

    /** The claims of a token, or `undefined` if it is malformed, expired, of another issuer or key, or signed by another algorithm (RFC 8725). */
    async verify(token: string): Promise<Caller | undefined> {
      if (token.length > MAX_TOKEN_LENGTH || !isCanonical(token)) return undefined;
      const { issuer, findKey } = signing;
      try {
        const { payload, protectedHeader } = await jwtVerify(token, findKey, {
          algorithms: [ALGORITHM],
          issuer,
          requiredClaims: ['sub', 'sid', 'iat', 'exp'],
          currentDate: new Date(now()),
        });
        // Without a `kid`, jose takes the only key there is.
        if (!ACCEPTED_TYPES.includes(protectedHeader.typ) || !protectedHeader.kid) return undefined;
        const { sub, sid, exp } = payload;
        if (typeof sub !== 'string' || typeof sid !== 'string' || typeof exp !== 'number') return undefined;
        return { userId: sub, sessionId: sid, expiresAt: exp * 1000 };
      } catch {
        return undefined; // an invalid token is the answer, not a fault
      }
    },

    /** The public keys, newest last, for `/.well-known/jwks.json` (RFC 7517). */
    keySet: () => ({ keys: signing.published }),

    /** Reads the keys again, after an operator's command changed them. */
    async reload(): Promise<void> {
      signing = await readSigningKeys(db, now());
    },
  };
}

/**
 * Creates a new signing key. Tokens signed with earlier keys stay valid until they expire; a key that was
 * replaced more than `ttlSeconds` ago is dropped.
 *
 * @param options.revokes drops all earlier keys, so that no token of theirs is valid any more
 */
export async function rotateTokenKeys(
  db: Db,
  ttlSeconds: number,
  now: number,
  { revokes = false } = {},
): Promise<void> {
  const added = await generateKey(now);
  await db.transaction(async (tx) => {
    const keys = revokes ? [] : readKeys(await lockValue(tx, KEYS));
    const stillUsed = keys.filter((_, i) => now - (keys[i + 1]?.createdAt ?? now) <= ttlSeconds * 1000);
    await replaceValue(tx, KEYS, JSON.stringify([...stillUsed, added]));
    await recordExternalChange(tx);
  });
}

/**
 * Whether each part is canonical base64url without padding (RFC 7515, 2). Decoders also accept padding, the other
 * alphabet and non-zero padding bits, so that one token would have many spellings.
 */
function isCanonical(token: string): boolean {
  return token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
}

async function generateKey(now: number): Promise<StoredKey> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { crv: 'Ed25519', extractable: true });
  const jwk = await exportJWK(privateKey);
  return { createdAt: now, jwk: { ...jwk, kid: await calculateJwkThumbprint(jwk) } };
}

/** The name of this installation, created once. Tokens carry it. */
export function readIssuer(db: Db): Promise<string> {
  return getOrCreateValue(db, ISSUER, () => `doorman:${crypto.randomUUID()}`);
}

async function readSigningKeys(db: Db, now: number) {
  const issuer = await readIssuer(db);
  const keys = readKeys(
    await getOrCreateValue(db, KEYS, async () => JSON.stringify([await generateKey(now)])),
  );
  const newest = keys.at(-1);
  if (!newest) throw new Error('the database holds no key for signing tokens');
  const published: JWK[] = keys.map(({ jwk: { d: _private, ...jwk } }) => ({
    ...jwk,
    alg: ALGORITHM,
    use: 'sig',
  }));
  return {
    issuer,
    kid: newest.jwk.kid,
    key: await importJWK(newest.jwk, ALGORITHM),
    published,
    findKey: createLocalJWKSet({ keys: published }),
  };
}

function readKeys(text: string | undefined): StoredKey[] {
  return JSON.parse(text ?? '[]') as StoredKey[]; // written only by this file
}
