import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  exportSPKI,
  generateKeyPair,
  importJWK,
  type JWK,
  jwtVerify,
  SignJWT,
} from 'jose';
import { onEachDatabase } from '../../test/databases.ts';
import { openTokens, rotateTokenKeys } from './tokens.ts';

const START = 1_790_000_000_500;
const DAY_S = 86_400;

onEachDatabase('tokens', (database) => {
  test('a token is an Ed25519 JWT that names user, session, issuer and its times', async (t) => {
    const db = await database.open(t);
    const tokens = await openTokens(db, 7 * DAY_S, () => START);
    const token = await tokens.issue('alice', 'session');
    const { kid, ...head } = decodeProtectedHeader(token);
    assert.deepEqual(head, { alg: 'EdDSA', typ: 'JWT' });
    assert.equal(kid, tokens.keySet().keys[0]?.kid);
    const { iss, ...claims } = decodeJwt(token);
    assert.deepEqual(claims, {
      sub: 'alice',
      sid: 'session',
      iat: 1_790_000_000,
      exp: 1_790_000_000 + 7 * DAY_S,
    });
    assert.match(iss ?? '', /^doorman:/);
    assert.deepEqual(await tokens.verify(token), {
      userId: 'alice',
      sessionId: 'session',
      expiresAt: (1_790_000_000 + 7 * DAY_S) * 1000,
    });
  });

  test('issuer and key are kept in the database, so a token survives a restart', async (t) => {
    const db = await database.open(t);
    const token = await (await openTokens(db, DAY_S, () => START)).issue('alice', 'session');
    const reopened = await openTokens(db, DAY_S, () => START);
    assert.equal((await reopened.verify(token))?.userId, 'alice');
  });

  test('others verify with the published key set, which holds nothing secret', async (t) => {
    const tokens = await openTokens(await database.open(t), DAY_S, () => START);
    const set = tokens.keySet();
    const [key] = set.keys;
    assert.deepEqual(Object.keys(key ?? {}).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x']);
    const token = await tokens.issue('alice', 'session');
    const options = { currentDate: new Date(START), typ: 'JWT' };
    const { payload } = await jwtVerify(token, createLocalJWKSet({ keys: [...set.keys] }), options);
    assert.equal(payload.sub, 'alice');
  });

  test('a token expires with its last second', async (t) => {
    let now = START;
    const tokens = await openTokens(await database.open(t), 60, () => now);
    const token = await tokens.issue('alice', 'session');
    now = 1_790_000_059_999;
    assert.ok(await tokens.verify(token));
    now = 1_790_000_060_000;
    assert.equal(await tokens.verify(token), undefined);
  });

  test('malformed tokens and those of another key or algorithm are invalid', async (t) => {
    const tokens = await openTokens(await database.open(t), DAY_S, () => START);
    const token = await tokens.issue('alice', 'session');
    const { kid } = decodeProtectedHeader(token);
    const claims = decodeJwt(token);
    const [head = '', payload = '', signature = ''] = token.split('.');
    const { privateKey, publicKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
    const published = tokens.keySet().keys[0] as JWK; // there is always one
    const spki = await exportSPKI((await importJWK(published, 'EdDSA', { extractable: true })) as CryptoKey); // an OKP key
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const sign = (header: object, body: object = claims) =>
      new SignJWT({ ...body })
        .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', kid, ...header })
        .sign(privateKey);
    const hmac = (secret: Uint8Array) =>
      new SignJWT({ ...claims }).setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid }).sign(secret);
    const wrong = {
      empty: '',
      'no dots': 'nonsense',
      'two parts': `${head}.${payload}`,
      'other claims': `${head}.${part({ ...claims, sub: 'bob' })}.${signature}`,
      'no signature': `${head}.${payload}.`,
      'algorithm none': `${part({ alg: 'none', typ: 'JWT', kid })}.${payload}.`,
      'HMAC with the public key': await hmac(new TextEncoder().encode(spki)),
      'HMAC with the point': await hmac(Buffer.from(published.x ?? '', 'base64url')),
      'another key under our id': await sign({}),
      'another key under its own id': await sign({ kid: 'other' }),
      'another key in the header': await sign({ kid: 'other', jwk: { kty: 'OKP', x: 'AA' } }),
      'longer than any of ours': `${head}.${payload}.${signature}${'A'.repeat(2048)}`,
    };
    assert.ok(publicKey);
    for (const [what, one] of Object.entries(wrong)) assert.equal(await tokens.verify(one), undefined, what);
    assert.ok(await tokens.verify(token));
  });

  test('a token has one spelling', async (t) => {
    const tokens = await openTokens(await database.open(t), DAY_S, () => START);
    const token = await tokens.issue('alice', 'session');
    assert.ok(await tokens.verify(token));
    const [head = '', payload = '', signature = ''] = token.split('.');
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    // 64 bytes leave 4 unused bits in the last letter.
    const last = alphabet.indexOf(signature.at(-1) ?? '');
    const others = Array.from({ length: 15 }, (_, i) => signature.slice(0, -1) + alphabet[last + i + 1]);
    const spellings = [...others, `${signature}=`, `${signature}==`, `${signature}\n`, ` ${signature}`];
    for (const other of spellings)
      assert.equal(await tokens.verify(`${head}.${payload}.${other}`), undefined, other.slice(-4));
    assert.equal(await tokens.verify(`${head}=.${payload}.${signature}`), undefined);
    assert.equal(await tokens.verify(`${head}.${payload}==.${signature}`), undefined);
    assert.equal(await tokens.verify(`${token}.`), undefined);
  });

  test('a token of another installation, another type or without a session is invalid, even with the right key', async (t) => {
    const db = await database.open(t);
    const tokens = await openTokens(db, DAY_S, () => START);
    const row = await db.get<{ value: string }>`select value from service where name = 'jwt-keys'`;
    const [{ jwk }] = JSON.parse(row?.value ?? '[]');
    const key = await importJWK(jwk, 'EdDSA');
    const good = decodeJwt(await tokens.issue('alice', 'session'));
    const sign = (claims: object, typ = 'JWT') =>
      new SignJWT({ ...claims }).setProtectedHeader({ alg: 'EdDSA', typ, kid: jwk.kid }).sign(key);
    assert.ok(await tokens.verify(await sign(good)));
    assert.equal(await tokens.verify(await sign({ ...good, iss: 'doorman:other' })), undefined);
    assert.ok(await tokens.verify(await sign(good, 'at+jwt')), 'issued by an earlier version');
    for (const typ of ['jwt', 'application/jwt', 'dpop+jwt', ''])
      assert.equal(await tokens.verify(await sign(good, typ)), undefined, typ);
    for (const name of ['sub', 'sid', 'iat', 'exp', 'iss'] as const) {
      const { [name]: _left, ...rest } = good;
      assert.equal(await tokens.verify(await sign(rest)), undefined, name);
    }
    assert.equal(await tokens.verify(await sign({ ...good, sid: 5 })), undefined);
  });

  test('after a rotation new tokens have the new key, and old ones stay valid until they expire', async (t) => {
    const db = await database.open(t);
    let now = START;
    const tokens = await openTokens(db, DAY_S, () => now);
    const old = await tokens.issue('alice', 'session');
    await rotateTokenKeys(db, DAY_S, now);
    await tokens.reload();
    const fresh = await tokens.issue('alice', 'session');
    assert.notEqual(decodeProtectedHeader(fresh).kid, decodeProtectedHeader(old).kid);
    assert.ok(await tokens.verify(old));
    assert.ok(await tokens.verify(fresh));
    assert.equal(tokens.keySet().keys.length, 2);
    now += DAY_S * 1000 + 1;
    await rotateTokenKeys(db, DAY_S, now);
    await tokens.reload();
    assert.equal(tokens.keySet().keys.length, 2);
    assert.ok(!tokens.keySet().keys.some((key) => key.kid === decodeProtectedHeader(old).kid));
  });
});
