import { createDecipheriv, createHmac, createPublicKey, type ECDH, verify } from 'node:crypto';

/** The private side of a subscription, as a browser keeps it. */
export interface ReceiverKeys {
  ecdh: ECDH;
  auth: Buffer;
}

/** Reads the one record of a push message's body (RFC 8291 3.4, RFC 8188 2); throws on anything wrong in it. */
export function decrypt(body: Buffer, { ecdh, auth }: ReceiverKeys): Buffer {
  const salt = body.subarray(0, 16);
  const senderPoint = body.subarray(21, 21 + body.readUInt8(20));
  const shared = ecdh.computeSecret(senderPoint);
  const info = Buffer.concat([
    Buffer.from('WebPush: info\0'),
    ecdh.getPublicKey(),
    senderPoint,
    Buffer.of(1),
  ]);
  return open(body, salt, hmac(hmac(auth, shared), info));
}

/** The same from the input keying material on (RFC 8188 2.2 to 2.4). */
export function open(body: Buffer, salt: Buffer, inputKey: Buffer): Buffer {
  const recordSize = body.readUInt32BE(16);
  const record = body.subarray(21 + body.readUInt8(20));
  if (record.length > recordSize) throw new Error('More than one record');
  const key = hmac(salt, inputKey);
  const contentKey = hmac(key, Buffer.from('Content-Encoding: aes128gcm\0\x01')).subarray(0, 16);
  const nonce = hmac(key, Buffer.from('Content-Encoding: nonce\0\x01')).subarray(0, 12);
  const decipher = createDecipheriv('aes-128-gcm', contentKey, nonce, { authTagLength: 16 });
  decipher.setAuthTag(record.subarray(-16));
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  const end = padded.findLastIndex((byte) => byte !== 0);
  if (padded[end] !== 2) throw new Error('No last record');
  return padded.subarray(0, end);
}

function hmac(key: Buffer, data: Buffer): Buffer {
  return createHmac('sha256', key).update(data).digest();
}

/**
 * What a push service would refuse in an `Authorization` header (RFC 8292 2 to 4); `undefined` if nothing.
 *
 * @param expected.now epoch milliseconds
 * @param expected.applicationServerKey the key that the subscription is bound to, if it is to one
 */
export function findVapidFlaw(
  header: string | undefined,
  expected: { origin: string; now: number; applicationServerKey?: string | undefined },
): string | undefined {
  const parts = /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), ?k=([\w-]{87})$/.exec(header ?? '');
  if (!parts) return 'no VAPID header';
  const [, head = '', claims = '', signature = '', key = ''] = parts;
  if (expected.applicationServerKey !== undefined && key !== expected.applicationServerKey)
    return 'another key';

  const point = Buffer.from(key, 'base64url');
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
  const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } });
  const options = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
  const signed = Buffer.from(`${head}.${claims}`);
  if (!verify('sha256', signed, options, Buffer.from(signature, 'base64url'))) return 'signature';

  if (decodePart(head).alg !== 'ES256') return 'algorithm';
  const { aud, exp, sub } = decodePart(claims);
  if (aud !== expected.origin) return 'aud';
  if (typeof exp !== 'number' || exp * 1000 <= expected.now) return 'expired';
  if (exp * 1000 >= expected.now + 86_400_000) return 'exp too far ahead';
  if (typeof sub !== 'string' || !/^(?:mailto:|https:)./.test(sub)) return 'sub';
  return undefined;
}

function decodePart(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString());
}
