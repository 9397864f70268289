import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Subscription } from '../../src/push/schemas.ts';
import { makeKey } from '../api-key.ts';
import { onEachDatabase } from '../databases.ts';
import { startService, type TestService } from '../harness.ts';
import { assertRefused } from './envelope.ts';
import { everythingStored } from './stored.ts';
import { apiRoutes, fieldsOf, plainest, plainSubscription, type Route, wrongValues } from './surface.ts';

onEachDatabase('Bad input: fields', (database) => {
  test('every field of every body refuses invalid values, and nothing is stored', async (t) => {
    const service = await startService(t, database, { env: { PUBLIC_URL: 'https://chat.example.com' } });
    const { id, token } = await service.join('alice');
    const key = await makeKey(service);
    const before = await everythingStored(service.services.db);
    let tried = 0;
    for (const route of apiRoutes(service.app).filter(({ body }) => body)) {
      for (const [field, fault, body] of wrongBodies(route)) {
        if ('userId' in body && field !== 'userId') body.userId = id;
        const answer = await service.post(route.path, body, route.isForKeys ? key : { token });
        assertRefused(answer, 400, `${route.path} with ${fault} as ${field}`, route.path);
        tried++;
      }
    }
    assert.ok(tried > 150, `only ${tried} were tried`);
    assert.deepEqual(await everythingStored(service.services.db), before);
    assert.equal((await service.get('/api/sessions', { token })).status, 200);
    assertNoFaults(service);
  });

  test('every field of every query refuses invalid values', async (t) => {
    const service = await startService(t, database);
    const { id, token } = await service.join('alice');
    const key = await makeKey(service);
    for (const { path, query, isForKeys } of apiRoutes(service.app)) {
      if (!query) continue;
      const plain = { ...plainest(query), ...('userId' in query.properties && { userId: id }) };
      for (const [name, field] of fieldsOf(query)) {
        const others = Object.entries(plain).filter(([other]) => other !== name);
        const rest = new URLSearchParams(others.map(([other, value]) => [other, String(value)]));
        const wrong = [
          `${name}=%00`,
          `${name}=aa%00aa`,
          `${name}=aaa&${name}=aaa`,
          `${name}=${'x'.repeat((field.maxLength ?? 0) + 1)}`,
        ];
        // A list of ids takes any text, and so does a search.
        if ((field.pattern && name !== 'ids' && name !== 'q') || field.anyOf)
          wrong.push(`${name}=gibberish`, `${name}=-1`, `${name}=1e3`, `${name}=`);
        if (query.required?.includes(name)) wrong.push(`${name}=`, `other=1`);
        if (field.maxLength === undefined && !field.pattern && !field.anyOf) wrong.splice(3, 1);
        for (const one of wrong) {
          const target = `${path}?${rest}&${one}`;
          const answer = await service.get(target, isForKeys ? key : { token });
          assertRefused(answer, 400, `GET ${target.slice(0, 120)}`, path);
        }
      }
    }
    assertNoFaults(service);
  });

  test('unknown fields are ignored and not stored, also those with names of object members', async (t) => {
    const service = await startService(t, database);
    const { token } = await service.join('alice');
    const before = JSON.stringify(await everythingStored(service.services.db));
    const names = [
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      'hasOwnProperty',
      'password_hash',
      'id',
      'status',
    ];
    for (const name of names) {
      const raw = `{"${name}":{"nickname":"planted","isAdmin":true},"x":"planted"}`;
      for (const path of ['/api/user/profile', '/api/user/settings']) {
        const { status, body } = await service.call('POST', path, { token, raw });
        assert.equal(status, 200, `${path} ${name}`);
        assert.equal(body.data.username, 'alice');
      }
      const registered = `{"username":"new ${name}","password":"password","${name}":"planted"}`;
      const { body } = await service.call('POST', '/api/register', { raw: registered });
      assert.deepEqual(Object.keys(body.data), ['id', 'username', 'nickname', 'email', 'token']);
    }
    const inherited = await service.call('POST', '/api/login', {
      raw: '{"__proto__":{"username":"alice","password":"password-of-alice"}}',
    });
    assert.equal(inherited.body.msg, '缺少参数 username');
    const after = JSON.stringify(await everythingStored(service.services.db));
    assert.ok(!before.includes('planted') && !after.includes('planted'));
    assert.equal(Object.hasOwn(Object.prototype, 'isAdmin'), false);
  });
});

/** Each invalid value of each field, with all other fields valid; also the fields inside `subscription`. */
function* wrongBodies({ path, body }: Route): Generator<[string, string, Record<string, unknown>]> {
  if (!body) return;
  const required: readonly string[] = body.required ?? [];
  for (const [name, field] of fieldsOf(body)) {
    for (const [fault, value] of wrongValues(field))
      yield [name, fault, { ...plainest(body), [name]: value }];
    if (!required.includes(name)) continue;
    const { [name]: _left, ...others } = plainest(body);
    yield [name, 'nothing', others];
  }
  if (path === '/api/push/subscribe')
    for (const [field, fault, subscription] of wrongSubscriptions())
      for (const sent of [subscription, JSON.stringify(subscription)])
        yield [`subscription.${field}`, fault, { ...plainest(body), subscription: sent }];
}

function* wrongSubscriptions(): Generator<[string, string, unknown]> {
  const plain = plainSubscription();
  const keys = Subscription.properties.keys;
  for (const [fault, value] of wrongValues({ type: 'string', minLength: 1, maxLength: 2048 }))
    yield ['endpoint', fault, { ...plain, endpoint: value }];
  for (const endpoint of [
    'http://push.example.net/1',
    'https://127.0.0.1/1',
    'https://u:p@push.example.net/',
    'file:///etc/passwd',
  ])
    yield ['endpoint', endpoint, { ...plain, endpoint }];
  for (const [fault, value] of wrongValues({ type: 'object' }))
    yield ['keys', fault, { ...plain, keys: value }];
  for (const [name, field] of fieldsOf(keys)) {
    for (const [fault, value] of wrongValues(field))
      yield [`keys.${name}`, fault, { ...plain, keys: { ...plain.keys, [name]: value } }];
    yield [`keys.${name}`, 'no Base64', { ...plain, keys: { ...plain.keys, [name]: '*!' } }];
    yield [`keys.${name}`, 'nothing', { ...plain, keys: { ...plain.keys, [name]: undefined } }];
  }
  for (const raw of [null, 7, 'x', [], [1], {}]) yield ['', JSON.stringify(raw), raw];
}

function assertNoFaults({ logLines }: TestService): void {
  assert.deepEqual(
    logLines.filter((line) => JSON.parse(line).level >= 50),
    [],
  );
}
