import assert from 'node:assert/strict';
import { createPublicKey, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { exportJWK, generateKeyPair, importJWK, type JWTPayload, SignJWT } from 'jose';
import { getValue } from '../../src/db/installation-values.ts';
import { recordExternalChange } from '../../src/events/changes.ts';
import { deleteUser } from '../../src/leaving/remove-user.ts';
import { openDatabase } from '../../src/open-database.ts';
import { onEachDatabase } from '../databases.ts';
import { type Call, type Person, shareService, startService, type TestService } from '../harness.ts';
import { assertEnvelope, assertRefused } from './envelope.ts';
import { apiRoutes, plainSubscription } from './surface.ts';

onEachDatabase('Bad input: tokens', (database) => {
  const shared = shareService(database);

  test('a token that is malformed, foreign, expired, unsigned or signed differently is 401', async (t) => {
    const service = await startService(t, database);
    const alice = await service.join('alice');
    for (const [fault, authorization] of await wrongAuthorizations(service, alice)) {
      const headers = { authorization };
      const answer = await service.get('/api/sessions', { headers });
      assertRefused(answer, 401, fault, '/api/sessions');
      assert.deepEqual(
        answer.body,
        { code: 401, error: 'unauthenticated', msg: '未登录或登录已过期' },
        fault,
      );
      // On a public path it is ignored.
      assert.equal((await service.get(`/api/user/profile/${alice.id}`, { headers })).status, 200, fault);
    }
    for (const authorization of [
      'Bearer nonsense',
      `Basic ${alice.token}`,
      `Bearer ${alice.token.slice(0, -9)}`,
    ]) {
      const body = { userId: alice.id, subscription: plainSubscription() };
      const subscribed = await service.post('/api/push/subscribe', body, { headers: { authorization } });
      assert.equal(subscribed.status, 200, authorization);
    }
    const { body } = await service.get('/api/push/devices', { token: alice.token });
    assert.deepEqual(
      body.data.map(({ confirmed }: { confirmed: number }) => confirmed),
      [0],
    );
    assert.deepEqual(
      service.logLines.filter((line) => JSON.parse(line).level >= 50),
      [],
    );
  });

  test('every route that is not public answers 401 without a token, whatever else is sent', async () => {
    const { service } = await shared();
    const closed = apiRoutes(service.app).filter(({ isPublic }) => !isPublic);
    assert.ok(closed.length >= 9);
    for (const { method, path, isForKeys } of closed) {
      const calls: Call[] = [
        {},
        { headers: { authorization: 'Bearer nonsense' } },
        { raw: '{"broken', headers: { 'content-type': 'text/plain' } },
      ];
      for (const call of calls) {
        const answer = await service.call(method, path, call);
        assertRefused(answer, 401, `${method} ${path}`, path);
        const text = path.startsWith('/api/push/')
          ? 'Not signed in, or the sign-in has expired'
          : isForKeys
            ? '需要有效的 API 密钥'
            : '未登录或登录已过期';
        assert.equal(answer.body.msg, text);
      }
    }
  });

  test('the name of the scheme may be written in any case', async () => {
    const {
      service,
      alice: { token },
    } = await shared();
    for (const authorization of [`bearer ${token}`, `BEARER ${token}`, `bEaReR   ${token}  `])
      assert.equal(
        (await service.get('/api/sessions', { headers: { authorization } })).status,
        200,
        authorization.slice(0, 10),
      );
  });

  test('a token is valid until the second in which it expires, and not after', async (t) => {
    let now = 1_790_000_000_000;
    const service = await startService(t, database, { env: { TOKEN_TTL: '60s' }, world: { now: () => now } });
    const { token } = await service.join('alice');
    now += 59_000;
    assert.equal((await service.get('/api/sessions', { token })).status, 200);
    now += 1_000;
    assert.equal((await service.get('/api/sessions', { token })).status, 401, 'remembered');
    await service.services.accounts.authentication.invalidateAll();
    assert.equal((await service.get('/api/sessions', { token })).status, 401, 'read again');
  });

  test('the tokens of an ended session and of a deleted user are 401 within a second', async (t) => {
    const service = await startService(t, database);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    for (const { token } of [alice, bob])
      assert.equal((await service.get('/api/sessions', { token })).status, 200);
    await service.post('/api/logout', {}, { token: alice.token });
    assertRefused(
      await service.get('/api/sessions', { token: alice.token }),
      401,
      'logged out',
      '/api/sessions',
    );

    // As the operator's command does it while the server runs.
    await using beside = await openDatabase(service.services.config, service.services.log);
    await beside.transaction(async (tx) => {
      await deleteUser(tx, bob.id);
      await recordExternalChange(tx);
    });
    let answer = await service.get('/api/sessions', { token: bob.token });
    while (answer.status === 200) {
      await setImmediate();
      answer = await service.get('/api/sessions', { token: bob.token });
    }
    assertRefused(answer, 401, 'deleted', '/api/sessions');
  });

  test('of two Authorization headers the first counts, and two tokens in one header are invalid', async () => {
    const {
      service,
      alice: { token },
    } = await shared();
    for (const authorization of [
      `Bearer ${token} ${token}`,
      `Bearer ${token}, Bearer ${token}`,
      `Bearer ${token},${token}`,
    ]) {
      const answer = await service.get('/api/sessions', { headers: { authorization } });
      assertEnvelope(answer, authorization.slice(0, 20));
      assert.equal(answer.status, 401);
    }
  });
});

/** Values of the header that are not a token of this service. */
async function wrongAuthorizations(
  { services }: TestService,
  { id, token }: Person,
): Promise<[fault: string, authorization: string][]> {
  const { jwk, key } = await readSigningKey(services);
  const issuer = (await getValue(services.db, 'issuer')) ?? '';
  const [header = '', payload = '', signature = ''] = token.split('.');
  const claims: JWTPayload = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const { privateKey: otherKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
  const { privateKey: rsaKey } = await generateKeyPair('RS256');
  const ours = { alg: 'EdDSA', typ: 'JWT', kid: jwk.kid };
  assert.equal(claims.iss, issuer);

  const { d: _private, ...open } = jwk;
  const publicPem = createPublicKey({ key: { ...open }, format: 'jwk' }).export({
    type: 'spki',
    format: 'pem',
  });
  const sign = (changed: JWTPayload, head: object = ours, signer: Parameters<SignJWT['sign']>[0] = key) =>
    new SignJWT({ ...claims, ...changed }).setProtectedHeader({ ...ours, ...head }).sign(signer);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const seconds = Math.floor(Date.now() / 1000);
  assert.equal(
    (await services.accounts.authentication.identify(await sign({})))?.userId,
    id,
    'what is signed here is otherwise right',
  );

  const tokens: [string, string][] = [
    ['alg none', `${part({ alg: 'none', typ: 'JWT' })}.${payload}.`],
    ['alg None, with kid', `${part({ ...ours, alg: 'None' })}.${payload}.`],
    ['no signature', `${header}.${payload}.`],
    ['two parts', `${header}.${payload}`],
    ['another payload', `${header}.${part({ ...claims, sub: 'another user' })}.${signature}`],
    ['another signature', `${header}.${payload}.${randomBytes(64).toString('base64url')}`],
    ['HS256 with the public key as secret', await sign({}, { alg: 'HS256' }, Buffer.from(String(publicPem)))],
    [
      'HS256 with the bytes of the public key',
      await sign({}, { alg: 'HS256' }, Buffer.from(String(jwk.x), 'base64url')),
    ],
    ['another key', await sign({}, ours, otherKey)],
    ['another key, sent along', await sign({}, { jwk: await exportPublic(otherKey) }, otherKey)],
    ['another kid', await sign({}, { kid: 'another' })],
    ['no kid', await sign({}, { kid: undefined })],
    ['another algorithm', await sign({}, { alg: 'RS256' }, rsaKey)],
    ['another issuer', await sign({ iss: 'doorman:another' })],
    ['no issuer', await sign({ iss: undefined })],
    ['another type', await sign({}, { typ: 'dpop+jwt' })],
    ['padding', `${token}=`],
    ['more padding', `${token}==`],
    ['no type', await sign({}, { typ: undefined })],
    [
      'an unknown critical header',
      await sign({}, ours).then(
        (signed) => `${part({ ...ours, crit: ['x'], x: 1 })}.${signed.split('.').slice(1).join('.')}`,
      ),
    ],
    ['no sub', await sign({ sub: undefined })],
    ['no sid', await sign({ sid: undefined })],
    ['no exp', await sign({ exp: undefined })],
    ['no iat', await sign({ iat: undefined })],
    ['a sid that is no string', await sign({ sid: 7 })],
    ['an unknown sid', await sign({ sid: crypto.randomUUID() })],
    ["another user's sub", await sign({ sub: crypto.randomUUID() })],
    ['expired', await sign({ exp: seconds - 1 })],
    ['not good yet', await sign({ nbf: seconds + 60 })],
    ['8 KB', await sign({ x: 'x'.repeat(6_000) })],
    ['in pieces', [...token].join(' ')],
    ['quoted', `"${token}"`],
    ['a byte more', `${token}A`],
    ['nothing', ''],
    ['dots', '..'],
    ['__proto__', '__proto__'],
  ];
  const wrong = tokens.map(([fault, one]): [string, string] => [fault, `Bearer ${one}`]);
  for (const scheme of ['Basic', 'Token', 'JWT', 'Bearer:', ''])
    wrong.push([`scheme ${scheme}`, `${scheme} ${token}`]);
  wrong.push(['no space', `Bearer${token}`], ['no scheme', token], ['a tab', `Bearer\t${token}`]);
  return wrong;
}

async function readSigningKey({ db }: TestService['services']) {
  const [kept] = JSON.parse((await getValue(db, 'jwt-keys')) ?? '[]');
  const key = await importJWK(kept.jwk, 'EdDSA');
  assert.ok(!(key instanceof Uint8Array));
  return { jwk: kept.jwk, key };
}

async function exportPublic(key: CryptoKey) {
  const { publicKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  return key.extractable ? exportJWK(key) : exportJWK(publicKey);
}
