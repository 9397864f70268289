import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { test } from 'node:test';
import { makeKey } from '../api-key.ts';
import { onEachDatabase } from '../databases.ts';
import { type Answer, shareService, startService } from '../harness.ts';
import { assertEnvelope, assertRefused } from './envelope.ts';
import { everythingStored } from './stored.ts';
import { apiRoutes, plainest } from './surface.ts';

/** Ids that no user has. */
const STRANGE_IDS = [
  '-1',
  '0',
  'null',
  'undefined',
  'NaN',
  '[object Object]',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '../../etc/passwd',
  "' or '1'='1",
  '"; drop table users; --',
  '%',
  '%s%n',
  '{{7*7}}',
  '😀',
  '\u202e\u200d',
  '\n',
  'Ä'.repeat(50),
  'x'.repeat(100),
];

onEachDatabase('Bad input: paths and ids', (database) => {
  const shared = shareService(database);

  test('an unknown id of any shape in a path is 404, or 400 if the path is malformed', async () => {
    const {
      service,
      alice: { id },
    } = await shared();
    const unknown = [
      ...STRANGE_IDS.map(encodeURIComponent),
      id.toUpperCase(),
      `${id}%20`,
      `%20${id}`,
      `${id}%2f`,
      '',
    ];
    for (const written of unknown) {
      const answer = await service.get(`/api/user/profile/${written}`);
      assertRefused(answer, 404, written, '/api/user/profile');
      assert.equal(answer.body.error, 'user_not_found', written);
    }
    const unreadable = [
      '%00',
      `${id}%00`,
      '%zz',
      '%',
      '%2',
      '%ff',
      '%c0%af',
      '%ed%a0%80',
      'x'.repeat(101),
      'x'.repeat(9_000),
    ];
    for (const written of unreadable) {
      const answer = await service.get(`/api/user/profile/${written}`);
      assertRefused(answer, 400, written, '/api/user/profile');
      assert.equal(answer.body.error, 'malformed_request', written);
    }
    assert.equal((await service.get(`/api/user/profile/${id}`)).status, 200);
    assert.equal(
      (await service.get(`/api/user/profile/%${id.charCodeAt(0).toString(16)}${id.slice(1)}`)).status,
      200,
    );
    assert.deepEqual(
      service.logLines.filter((line) => JSON.parse(line).level >= 50),
      [],
    );
  });

  test('an id of any shape in a body or query is refused, and nothing is stored', async (t) => {
    const env = { RATE_LIMIT_MESSAGES: 'off', RATE_LIMIT_SEARCH: 'off' };
    const service = await startService(t, database, { env });
    const { token } = await service.join('alice');
    const key = await makeKey(service);
    const before = await everythingStored(service.services.db);
    for (const route of apiRoutes(service.app)) {
      const schema = route.body ?? route.query;
      if (!schema) continue;
      for (const name of ['id', 'blockedId', 'userId', 'peerId', 'to', 'peer'].filter(
        (one) => one in schema.properties,
      )) {
        // It gives a new user this id: src/admin/user-routes.test.ts has those that it refuses.
        if (route.path === '/api/admin/users' && name === 'id') continue;
        for (const strange of STRANGE_IDS) {
          const fields: Record<string, unknown> = { ...plainest(schema), [name]: strange };
          const what = `${route.path} with ${name} ${strange}`;
          const query = new URLSearchParams(
            Object.entries(fields).map(([key, value]) => [key, String(value)]),
          );
          const by = route.isForKeys ? key : { token };
          const answer: Answer = await (route.body
            ? service.post(route.path, fields, by)
            : service.get(`${route.path}?${query}`, by));
          assertEnvelope(answer, what);
          // The history with an unknown user is empty, which is not an error.
          if (route.method === 'POST') assertRefused(answer, [400, 403, 404], what, route.path);
          else assert.ok([200, 400, 404].includes(answer.status), what);
        }
      }
    }
    assert.deepEqual(await everythingStored(service.services.db), before);
    assert.deepEqual(
      service.logLines.filter((line) => JSON.parse(line).level >= 50),
      [],
    );
  });

  test('an unknown path, and an unsupported method of a path, are 404', async () => {
    const {
      service,
      alice: { id, token },
    } = await shared();
    const paths = [
      '/api',
      '/api/',
      '/api/nothing',
      '/api/user',
      '//api/users',
      '/api//users',
      '/api/users/',
      '/API/users',
      '/api/Users',
      '/api/users;x',
      '/api%2Fusers',
      '/api/users%3Fq',
      '/api/users%20',
      '/api/user/profile/a/b',
      '/toString',
      '/__proto__',
      '/api/constructor',
    ];
    for (const path of paths) {
      const answer = await service.get(path, { token });
      assertEnvelope(answer, path);
      assert.equal(answer.body.error, 'route_not_found', path);
      // Outside of the API, a browser that opens an unknown path gets the page.
      if (!/^\/+api/i.test(path)) continue;
      const opened = await service.get(path, { token, headers: { accept: 'text/html' } });
      assert.equal(opened.body.error, 'route_not_found', path);
    }
    const known = new Set(service.app.definedRoutes.map(({ route }) => `${route.method} ${route.url}`));
    for (const { url } of new Map(
      service.app.definedRoutes.map(({ route }) => [route.url, route]),
    ).values()) {
      for (const method of METHODS.filter((one) => one !== 'CONNECT' && !known.has(`${one} ${url}`))) {
        const answer = await service.call(method, url.replace(':userId', id), { token });
        // Also the address of a user with this id.
        if (/^\/api\/admin\/users\/\w+$/.test(url) && ['GET', 'HEAD'].includes(method)) continue;
        if (method === 'HEAD') {
          assert.equal(answer.text, '', url);
          if (!known.has(`GET ${url}`) || url === '/ws') assert.equal(answer.status, 404, url);
          continue;
        }
        assertEnvelope(answer, `${method} ${url}`);
        // RFC 10008 wants a media type before anything else of this one.
        assert.equal(answer.status, method === 'QUERY' ? 400 : 404, `${method} ${url}`);
      }
    }
  });
});
