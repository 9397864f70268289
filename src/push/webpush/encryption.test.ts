import assert from 'node:assert/strict';
import { createECDH, createPrivateKey, createPublicKey, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { decrypt, open } from '../../../test/push-receiver.ts';
import { encrypt, encryptWith, InvalidKeysError } from './encryption.ts';

function makeReceiver(): { ecdh: ReturnType<typeof createECDH>; p256dh: Buffer; auth: Buffer } {
  const ecdh = createECDH('prime256v1');
  return { ecdh, p256dh: ecdh.generateKeys(), auth: randomBytes(16) };
}

const fromText = (text: string) => Buffer.from(text, 'base64url');

/** RFC 8291 5 and appendix A. */
const RFC_8291 = {
  plaintext: Buffer.from('When I grow up, I want to be a watermelon'),
  p256dh: fromText('BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'),
  receiverPrivate: fromText('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94'),
  auth: fromText('BTBZMqHH6r4Tts7J_aSIgg'),
  senderPrivate: fromText('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'),
  salt: fromText('DGv6ra1nlYgDCS1FRnbzlw'),
  body: fromText(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  ),
};

/** RFC 8188 3.1. */
const RFC_8188 = {
  plaintext: Buffer.from('I am the walrus'),
  inputKey: fromText('yqdlZ-tYemfogSmv7Ws5PQ'),
  salt: fromText('I1BsxtFttlv3u_Oo94xnmw'),
  body: fromText('I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg'),
};

test('the message of RFC 8291 section 5 comes out byte for byte', async () => {
  const { p256dh, auth, plaintext, salt, senderPrivate, body } = RFC_8291;
  const form = { format: 'raw-private', asymmetricKeyType: 'ec', namedCurve: 'P-256' } as const;
  const privateKey = createPrivateKey({ key: senderPrivate, ...form });
  const senderKey = { privateKey, publicKey: createPublicKey(privateKey) };
  const made = await encrypt({ p256dh, auth }, plaintext, { salt, senderKey });
  assert.equal(made.toString('base64url'), body.toString('base64url'));
});

test('the message of RFC 8188 section 3.1 comes out byte for byte', () => {
  const { inputKey, salt, plaintext, body } = RFC_8188;
  const made = encryptWith(inputKey, salt, Buffer.alloc(0), plaintext);
  assert.equal(made.toString('base64url'), body.toString('base64url'));
});

test("the tests' own receiver decrypts both RFCs' messages and refuses a changed one", () => {
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(RFC_8291.receiverPrivate);
  const keys = { ecdh, auth: RFC_8291.auth };
  assert.equal(decrypt(RFC_8291.body, keys).toString(), 'When I grow up, I want to be a watermelon');
  assert.equal(open(RFC_8188.body, RFC_8188.salt, RFC_8188.inputKey).toString(), 'I am the walrus');
  const changed = Buffer.from(RFC_8291.body);
  changed[100] = changed.readUInt8(100) ^ 1;
  assert.throws(() => decrypt(changed, keys));
});

test('a browser reads what is encrypted for it, from nothing to 3993 bytes, in at most 4096', async () => {
  const browser = makeReceiver();
  for (const length of [0, 1, 270, 3993]) {
    const payload = randomBytes(length);
    const body = await encrypt(browser, payload);
    assert.equal(body.length, length + 103);
    assert.deepEqual(decrypt(body, browser), payload);
  }
  await assert.rejects(encrypt(browser, Buffer.alloc(3994)), RangeError);
});

test('each message has a salt and a sender key of its own (RFC 8291 3.1)', async () => {
  const browser = makeReceiver();
  const encryptHi = () => encrypt(browser, Buffer.from('hi'));
  const [first, second] = await Promise.all([encryptHi(), encryptHi()]);
  assert.notDeepEqual(first.subarray(0, 16), second.subarray(0, 16));
  assert.notDeepEqual(first.subarray(21, 86), second.subarray(21, 86));
});

test('each of many receivers reads their own messages, the first and a later one', async () => {
  const receivers = Array.from({ length: 8 }, makeReceiver);
  for (let round = 0; round < 2; round++) {
    const bodies = await Promise.all(receivers.map((receiver, i) => encrypt(receiver, Buffer.of(i, round))));
    for (const [i, receiver] of receivers.entries())
      assert.deepEqual(decrypt(bodies[i] ?? Buffer.alloc(0), receiver), Buffer.of(i, round));
  }
});

test('keys that are not a P-256 point and 16 bytes are invalid', async () => {
  const { ecdh, p256dh, auth } = makeReceiver();
  const offCurve = Buffer.from(p256dh);
  offCurve[64] = offCurve.readUInt8(64) ^ 1;
  const points = {
    'not on the curve': offCurve,
    zeros: Buffer.concat([Buffer.of(4), Buffer.alloc(64)]),
    compressed: ecdh.getPublicKey(null, 'compressed'),
    hybrid: ecdh.getPublicKey(null, 'hybrid'),
    infinity: Buffer.of(0),
    empty: Buffer.alloc(0),
    'one byte more': Buffer.concat([p256dh, Buffer.of(0)]),
    'one byte less': p256dh.subarray(0, 64),
  };
  for (const [name, point] of Object.entries(points)) {
    await assert.rejects(encrypt({ p256dh: point, auth }, Buffer.from('hi')), InvalidKeysError, name);
  }
  for (const length of [0, 15, 17]) {
    const keys = { p256dh, auth: Buffer.alloc(length) };
    await assert.rejects(encrypt(keys, Buffer.from('hi')), InvalidKeysError, `auth of ${length}`);
  }
});
