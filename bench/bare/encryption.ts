// Only the arithmetic of RFC 8291: a new sender key, the shared secret, the keys, one encrypted record.
import {
  createCipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
} from 'node:crypto';
import { answerRounds } from '../processes.ts';

const receiver = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({
  format: 'raw-public',
});
const auth = randomBytes(16);
const payload = randomBytes(150);

function encrypt(): Buffer {
  const publicKey = createPublicKey({
    key: receiver,
    format: 'raw-public',
    asymmetricKeyType: 'ec',
    namedCurve: 'P-256',
  });
  const sender = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const point = sender.publicKey.export({ format: 'raw-public' });
  const shared = diffieHellman({ privateKey: sender.privateKey, publicKey });
  const salt = randomBytes(16);
  const input = hkdfSync(
    'sha256',
    shared,
    auth,
    Buffer.concat([Buffer.from('WebPush: info\0'), receiver, point]),
    32,
  );
  const key = hkdfSync('sha256', Buffer.from(input), salt, 'Content-Encoding: aes128gcm\0', 16);
  const nonce = hkdfSync('sha256', Buffer.from(input), salt, 'Content-Encoding: nonce\0', 12);
  const cipher = createCipheriv('aes-128-gcm', Buffer.from(key), Buffer.from(nonce));
  return Buffer.concat([salt, point, cipher.update(payload), cipher.final(), cipher.getAuthTag()]);
}

const BATCH = 100;

answerRounds(async () => {
  for (let i = 0; i < BATCH; i++) encrypt();
  return BATCH;
});
