import {
  createCipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { promisify } from 'node:util';

/** `p256dh` and `auth` of a browser's subscription (interface 2.3), decoded. */
interface SubscriptionKeys {
  p256dh: Uint8Array;
  auth: Uint8Array;
}

/** The random parts of a message, fixed only by the RFCs' test vectors. A sender key must never be used twice. */
interface VectorInput {
  salt: Uint8Array;
  senderKey: { publicKey: KeyObject; privateKey: KeyObject };
}

/** The subscription's keys are not a P-256 point and 16 bytes, so nothing can ever be sent to it. */
export class InvalidKeysError extends Error {
  override readonly name = 'InvalidKeysError';
}

/** Public keys of the latest receivers, some 3 KB each: importing one takes a sixth of encrypting a message. */
const MAX_RECEIVER_KEYS = 4_096;
const receiverKeys = new Map<string, KeyObject>();

/** The longest payload: push services accept bodies of up to 4096 bytes (RFC 8030 7.2, RFC 8291 4). */
const MAX_PAYLOAD_BYTES = 3993;

const agree = promisify(diffieHellman);

const RECORD_BYTES = 4096;
const KEY_INFO = Buffer.from('WebPush: info\0');
const CONTENT_KEY_INFO = Buffer.from('Content-Encoding: aes128gcm\0');
const NONCE_INFO = Buffer.from('Content-Encoding: nonce\0');
const LAST_RECORD = Buffer.from([2]);

/**
 * Encrypts `payload` (up to {@link MAX_PAYLOAD_BYTES}) for one browser, as the body of a push message: one `aes128gcm`
 * record (RFC 8291 3.4, RFC 8188 2). Each call makes a new sender key, so the same payload gives another body. The agreement on the
 * shared secret, the longest part, runs in libuv's threads.
 *
 * @throws {InvalidKeysError} if `p256dh` is not an uncompressed P-256 point or `auth` is not 16 bytes
 * @throws {RangeError} if `payload` is too long
 */
export async function encrypt(
  keys: SubscriptionKeys,
  payload: Uint8Array,
  forVectors?: VectorInput,
): Promise<Buffer> {
  if (payload.length > MAX_PAYLOAD_BYTES) throw new RangeError(`A push payload of ${payload.length} bytes`);
  const receiverKey = receiverKeyOf(keys.p256dh);
  if (keys.auth.length !== 16) throw new InvalidKeysError(`The auth secret has ${keys.auth.length} bytes`);

  const sender = forVectors?.senderKey ?? generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const senderPoint = sender.publicKey.export({ format: 'raw-public' });
  const shared = await agree({ privateKey: sender.privateKey, publicKey: receiverKey });
  const inputKey = derive(shared, keys.auth, Buffer.concat([KEY_INFO, keys.p256dh, senderPoint]), 32);
  return encryptWith(inputKey, forVectors?.salt ?? randomBytes(16), senderPoint, payload);
}

/** Encrypts `plaintext` as a single record of RFC 8188 2, of up to 4096 bytes; `keyId` is up to 255 bytes. */
export function encryptWith(
  inputKey: Uint8Array,
  salt: Uint8Array,
  keyId: Uint8Array,
  plaintext: Uint8Array,
): Buffer {
  const contentKey = derive(inputKey, salt, CONTENT_KEY_INFO, 16);
  const cipher = createCipheriv('aes-128-gcm', contentKey, derive(inputKey, salt, NONCE_INFO, 12));
  const header = Buffer.allocUnsafe(21);
  header.set(salt);
  header.writeUInt32BE(RECORD_BYTES, 16);
  header[20] = keyId.length;
  const sealed = [cipher.update(plaintext), cipher.update(LAST_RECORD), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat([header, keyId, ...sealed]);
}

function receiverKeyOf(p256dh: Uint8Array): KeyObject {
  const name = Buffer.from(p256dh.buffer, p256dh.byteOffset, p256dh.length).toString('latin1');
  const known = receiverKeys.get(name);
  const key = known ?? importPoint(p256dh);
  // Again at the end: the first one was not used for the longest time.
  if (known) receiverKeys.delete(name);
  receiverKeys.set(name, key);
  if (receiverKeys.size > MAX_RECEIVER_KEYS) receiverKeys.delete(receiverKeys.keys().next().value ?? name);
  return key;
}

/** Refuses compressed points and the point at infinity, which Node accepts and RFC 8291 3.2 does not. */
function importPoint(p256dh: Uint8Array): KeyObject {
  if (p256dh.length !== 65 || p256dh[0] !== 4) throw new InvalidKeysError('p256dh is no uncompressed point');
  try {
    return createPublicKey({
      key: Buffer.from(p256dh.buffer, p256dh.byteOffset, p256dh.length),
      format: 'raw-public',
      asymmetricKeyType: 'ec',
      namedCurve: 'P-256',
    });
  } catch (cause) {
    throw new InvalidKeysError('p256dh is no point of P-256', { cause });
  }
}

function derive(inputKey: Uint8Array, salt: Uint8Array, info: Uint8Array, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', inputKey, salt, info, bytes));
}
