import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDeployment } from '../databases.ts';
import { startService, type TestService } from '../harness.ts';
import { assertEnvelope, assertRefused } from './envelope.ts';
import { everythingStored } from './stored.ts';

/** The calls of addresses, recovery, leaving and the account log, each with the fields of its body. */
const POSTS: [path: string, fields: string[]][] = [
  ['/api/account/confirm', ['password']],
  ['/api/account/email', ['email', 'lang']],
  ['/api/account/email/verify', ['code', 'token']],
  ['/api/password/forgot', ['account', 'lang']],
  ['/api/account/keep', ['ticket']],
  ['/api/sessions/end', ['id', 'others']],
  ['/api/sessions/end-by-link', ['token']],
];
const GETS = ['/api/account', '/api/account/log'];

/** Values that no field takes. `others` takes `true`, so that no value is a boolean which others refuse. */
const OTHER_TYPES: unknown[] = [null, 7, -1, 0.5, false, [], ['12345678'], {}, { length: 8 }];
/** Texts that fit into a body. */
const HUGE = ['x'.repeat(60_000), '字'.repeat(20_000), `${'x'.repeat(30_000)}@${'y'.repeat(30_000)}.org`];

const env = { SMTP_URL: 'smtp://127.0.0.1:9', PUBLIC_URL: 'https://chat.example.org' };

onEachDeployment('Bad input: the calls of the account', (database) => {
  for (const [path, fields] of POSTS)
    test(`POST ${path} refuses every bad body, stores nothing, and serves the next request`, async (t) => {
      const service = await startService(t, database, { env });
      const { token } = await service.join('alice');
      const before = await userRows(service);
      const bodies = [
        Object.fromEntries(fields.map((field) => [field, null])),
        ...OTHER_TYPES.map((value) => Object.fromEntries(fields.map((field) => [field, value]))),
        ...fields.flatMap((field) => OTHER_TYPES.map((value) => ({ [field]: value }))),
        ...HUGE.map((value) => Object.fromEntries(fields.map((field) => [field, value]))),
        ...fields.flatMap((field) => HUGE.map((value) => ({ [field]: value }))),
        ...fields.map((field) => ({ [field]: 'x'.repeat(70_000) })),
        ...fields.map((field) => ({ [field]: 'a\0b' })),
        {},
      ];
      for (const body of bodies) {
        const what = `${path} ${JSON.stringify(body).slice(0, 80)}`;
        const answer = await service.post(path, body, { token });
        // No session has this id.
        const codes = path === '/api/sessions/end' && typeof body.id === 'string' ? [400, 404] : 400;
        assertRefused(answer, codes, what, path);
      }
      assert.deepEqual(await userRows(service), before);
      for (const get of GETS) assert.equal((await service.get(get, { token })).status, 200, get);
      assertNoFaults(service);
    });

  test('only links, tickets and a forgotten password need no session', async (t) => {
    const service = await startService(t, database, { env });
    const calls: [method: string, path: string, body?: object][] = [
      ['GET', '/api/account'],
      ['GET', '/api/account/log'],
      ['POST', '/api/account/confirm', { password: 'password-of-alice' }],
      ['POST', '/api/account/email', { email: 'alice@example.org' }],
      ['POST', '/api/account/email/verify', { code: '12345678' }],
      ['POST', '/api/account/email/remove', {}],
      ['POST', '/api/account/delete', {}],
      ['POST', '/api/sessions/end', { others: true }],
    ];
    for (const authorization of [undefined, '', 'Bearer', 'Bearer x', 'Bearer e30.e30.e30', 'Basic YTpi']) {
      const headers = authorization === undefined ? {} : { headers: { authorization } };
      for (const [method, path, body] of calls) {
        const answer = await service.call(method, path, { ...headers, ...(body && { body }) });
        assertRefused(answer, 401, `${path} with ${authorization}`, path);
      }
      for (const path of ['/api/account/email/verify', '/api/sessions/end-by-link'])
        assertRefused(await service.post(path, { token: 'x' }, headers), 400, path, path);
      const forgot = await service.post('/api/password/forgot', { account: 'alice' }, headers);
      assert.equal(forgot.status, 200, forgot.text);
    }
    assertNoFaults(service);
  });

  test('the log refuses bad pages, and the account takes no query', async (t) => {
    const service = await startService(t, database, { env });
    const { token } = await service.join('alice');
    const bad = [
      ...[
        'limit=0',
        'limit=101',
        'limit=-1',
        'limit=1.5',
        'limit=1e1',
        'limit=x',
        'limit=',
        'limit=1&limit=2',
      ],
      ...[
        'before=',
        `before=${'x'.repeat(101)}`,
        'before=%00',
        'before=a&before=b',
        `before=${'x'.repeat(8_000)}`,
      ],
    ];
    for (const query of bad) {
      const answer = await service.get(`/api/account/log?${query}`, { token });
      assertRefused(answer, 400, query.slice(0, 50), '/api/account/log');
    }
    for (const query of ['before=x', 'before=%27;--', 'limit=1', 'limit=100', 'after=x', 'x=%ff']) {
      const answer = await service.get(`/api/account/log?${query}`, { token });
      assertEnvelope(answer, query);
      assert.ok([200, 400].includes(answer.status), query);
    }
    const { status, body } = await service.get('/api/account?email=x', { token });
    assert.deepEqual([status, body.data.email], [200, '']);
    assertNoFaults(service);
  });
});

/** What is stored of users. The rows about nodes change by themselves. */
async function userRows({ services }: TestService): Promise<object> {
  const { service: _values, changes: _changes, ...rows } = await everythingStored(services.db);
  return rows;
}

function assertNoFaults({ logLines }: TestService): void {
  assert.deepEqual(
    logLines.filter((line) => JSON.parse(line).level >= 50),
    [],
  );
}
