// A push service and a browser in one, for trying push without either: it makes a subscription, stores it with the
// service as the user's own, and prints what a browser would show. On any Node from 22 on, without dependencies; the
// service has to run on this machine, as it calls loopback addresses only then.
//
//   node docs/push-receiver.mjs NAME PASSWORD [--url http://localhost:3000]
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { url: { type: 'string', default: 'http://localhost:3000' } },
});
const [username, password] = positionals;
if (!username || !password) {
  console.error('node docs/push-receiver.mjs NAME PASSWORD [--url http://localhost:3000]');
  process.exit(2);
}

// What a browser keeps of a subscription: a key pair, and a secret.
const browser = createECDH('prime256v1');
const publicKey = browser.generateKeys();
const auth = randomBytes(16);

/** Reads a push message (RFC 8291, 3.4; RFC 8188, 2): salt, record size, the sender's key, and one record. */
function decrypt(body) {
  const salt = body.subarray(0, 16);
  const keyEnd = 21 + body[20];
  const senderKey = body.subarray(21, keyEnd);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, senderKey]);
  const input = derive(browser.computeSecret(senderKey), auth, info, 32);
  const key = derive(input, salt, 'Content-Encoding: aes128gcm\0', 16);
  const nonce = derive(input, salt, 'Content-Encoding: nonce\0', 12);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce);
  decipher.setAuthTag(body.subarray(-16));
  const padded = Buffer.concat([decipher.update(body.subarray(keyEnd, -16)), decipher.final()]);
  // The text ends at the last byte that is not padding, a 2.
  return padded.subarray(0, padded.lastIndexOf(2)).toString();
}

function derive(input, salt, info, bytes) {
  return Buffer.from(hkdfSync('sha256', input, salt, info, bytes));
}

const pushService = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  try {
    const { title, body: text } = JSON.parse(decrypt(body)).notification;
    console.log(`[push] ${title}: ${text}`.replace(/\p{Cc}/gu, ' '));
    response.writeHead(201).end();
  } catch (error) {
    console.error(`-- a push that cannot be read: ${error.message}`);
    response.writeHead(400).end();
  }
});
pushService.listen(0, '127.0.0.1');
await once(pushService, 'listening');

async function call(path, body, token) {
  const response = await fetch(`${values.url.replace(/\/$/, '')}/api${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (answer.code !== 200) throw new Error(answer.msg ?? answer.message);
  return answer.data;
}

try {
  const { id, token } = await call('/login', { username, password });
  const subscription = {
    endpoint: `http://127.0.0.1:${pushService.address().port}/${randomBytes(16).toString('base64url')}`,
    keys: { p256dh: publicKey.toString('base64url'), auth: auth.toString('base64url') },
  };
  // With the user's own token it is confirmed, and told who wrote; without one it would get fixed words only.
  await call('/push/subscribe', { userId: id, subscription }, token);
  console.log(`-- waiting for pushes to ${username}`);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
