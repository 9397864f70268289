import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import Value from 'typebox/value';
import { onSqlite } from '../../test/databases.ts';
import { type Body, startService, type TestService } from '../../test/harness.ts';
import { operations, readDescription } from '../../test/openapi.ts';

onSqlite('/openapi.json', (database) => {
  test('every route has a name of its own, a summary and a room', async (t) => {
    const service = await startService(t, database);
    const { paths, tags } = await describe(service);
    const rooms = tags.map(({ name }: Body) => name);
    const names = new Set<string>();
    for (const [path, method, { operationId, summary, tags: own }] of operations(paths)) {
      const route = `${method} ${path}`;
      assert.match(
        String(operationId),
        /^[a-z]+(?:[A-Z][a-z]+)*$/,
        `${route}: its schema needs an operationId, the name of the kit's method`,
      );
      assert.ok(!names.has(operationId), `${route}: ${operationId} is the operationId of another route`);
      names.add(operationId);
      assert.match(
        String(summary),
        /^[A-Z].{8,98}[^.]$/,
        `${route}: its schema needs a summary, one line without a full stop`,
      );
      assert.deepEqual(
        own.filter((room: string) => !rooms.includes(room)),
        [],
        `${route}: its room has no description in ROOMS of src/health/openapi.ts`,
      );
    }
    assert.equal(names.size, operations(paths).length);
    // They never change: generated clients call by them.
    const known = {
      login: 'POST /api/login',
      profileOf: 'GET /api/user/profile/{userId}',
      openSocket: 'GET /ws',
    };
    for (const [name, route] of Object.entries(known))
      assert.ok(
        operations(paths).some(
          ([path, method, { operationId }]) => operationId === name && route === `${method} ${path}`,
        ),
        name,
      );
  });

  test('shapes that several routes share are written once, by name', async (t) => {
    const service = await startService(t, database);
    const { paths, components } = await describe(service);
    const names = Object.keys(components.schemas);
    for (const name of ['ErrorAnswer', 'OwnUser', 'RegisterBody', 'Message', 'Snapshot', 'FriendEntry'])
      assert.ok(names.includes(name), name);
    const text = JSON.stringify({ paths, components });
    const referred = new Set(
      [...text.matchAll(/"\$ref":"#\/components\/(\w+\/[\w-]+)"/g)].map(([, name]) => name),
    );
    const there = Object.entries<object>(components).flatMap(([kind, those]) =>
      kind === 'securitySchemes' ? [] : Object.keys(those).map((name) => `${kind}/${name}`),
    );
    assert.deepEqual([...referred].sort(), there.sort());
    const inlined = operations(paths).flatMap(([path, method, { responses }]) =>
      Object.entries<Body>(responses)
        .filter(
          ([code, { content }]) => Number(code) >= 400 && content?.['application/json'].schema.properties,
        )
        .map(([code]) => `${method} ${path} ${code}`),
    );
    assert.deepEqual(inlined, ['GET /api/push/test-send 404'], 'whose body has no word (interface 4.15)');
  });

  test('the examples of shapes fit them', async (t) => {
    const { components } = await readDescription(await startService(t, database));
    const examples = Object.entries<Body>(components.schemas).flatMap(([name, schema]) =>
      (schema.examples ?? []).map((example: unknown) => ({ name, schema, example })),
    );
    for (const { name, schema, example } of examples) assert.ok(Value.Check(schema, example), name);
    assert.deepEqual(
      examples.map(({ name }) => name),
      ['ErrorAnswer', 'LoginBody', 'QuietBody', 'RegisterBody', 'SendBody', 'SubscribeBody'],
    );
  });

  test('the numbers of queries are whole numbers with their bounds', async (t) => {
    const { paths } = await readDescription(await startService(t, database));
    const numbers = operations(paths).flatMap(([path, method, { parameters = [] }]) =>
      parameters
        .filter(({ in: place, schema }: Body) => place === 'query' && schema.type !== 'string')
        .map(({ name, schema: { type, minimum, maximum, enum: values } }: Body) =>
          [method, path, name, type, minimum ?? values?.[0], maximum ?? values?.at(-1)].join(' '),
        ),
    );
    const most = Number.MAX_SAFE_INTEGER;
    assert.deepEqual(numbers, [
      'GET /api/account/log limit integer 1 100',
      'GET /api/users online integer 0 1',
      'GET /api/users limit integer 1 1000',
      'GET /api/user/blocked limit integer 1 200',
      `GET /api/messages before integer 1 ${most}`,
      `GET /api/messages after integer 0 ${most}`,
      'GET /api/messages limit integer 1 100',
      'GET /api/search limit integer 1 50',
      'GET /api/conversations limit integer 1 200',
      'GET /api/friends limit integer 1 200',
      'GET /api/admin/users limit integer 1 1000',
      'GET /api/push/test-send detail integer 0 1',
    ]);
  });

  test('answers name the values of their words and flags, and the code that they have', async (t) => {
    const description = await readDescription(await startService(t, database));
    const { schemas } = description.components;
    const valuesOf = (shape: string, field: string) => schemas[shape].properties[field].enum;
    for (const [shape, field] of [
      ...['OwnUser push_enabled', 'OwnUser dnd_enabled', 'PublicProfile isOnline', 'DirectoryEntry isOnline'],
      ...['Settings push_enabled', 'SessionEntry current', 'SessionEntry active', 'PushDevice usable'],
      ...['PushDevice confirmed', 'PushDevice current', 'OwnSettings dnd_enabled'],
      ...['Conversation archived', 'KeptConversation markedUnread', 'ConversationBody pinned'],
    ].map((one) => one.split(' ')))
      assert.deepEqual(valuesOf(shape ?? '', field ?? ''), [0, 1], `${shape} ${field}`);
    for (const shape of ['OwnUser', 'LoggedIn', 'PublicProfile', 'DirectoryEntry', 'ProfileBody'])
      assert.deepEqual(valuesOf(shape, 'gender'), ['', 'male', 'female', 'secret'], shape);
    assert.deepEqual(valuesOf('FriendAnswer', 'state'), ['none', 'requested', 'asked', 'friends']);
    assert.deepEqual(valuesOf('FriendEntry', 'state'), ['friends', 'requested', 'asked']);
    assert.deepEqual(valuesOf('PushLogEntry', 'kind'), ['message', 'test']);
    assert.equal(valuesOf('PushLogEntry', 'outcome').length, 18);
    for (const [path, method, { responses }] of operations(description.paths))
      for (const [status, { content }] of Object.entries<Body>(responses)) {
        const code = content?.['application/json']?.schema.properties.code;
        if (!code) continue;
        assert.equal(code.type, 'integer', `${method} ${path} ${status}`);
        if (status === '200') assert.equal(code.const, 200, `${method} ${path}`);
      }
  });

  test('answers describe the fields of their heads', async (t) => {
    const { paths } = await readDescription(await startService(t, database));
    for (const [path, method, { responses }] of operations(paths))
      for (const [status, { headers }] of Object.entries<Body>(responses)) {
        const what = `${method} ${path} ${status}`;
        assert.deepEqual(headers['X-Request-Id']?.required, true, what);
        assert.equal('Retry-After' in headers, status === '429', what);
        assert.equal('WWW-Authenticate' in headers, status === '401', what);
        if (path.startsWith('/api/'))
          for (const name of ['RateLimit', 'RateLimit-Policy'])
            assert.equal(headers[name]?.schema.type, 'string', what);
      }
    const withProof = operations(paths).filter(
      ([, , { responses }]) => responses[200]?.headers['Device-Proof'],
    );
    assert.deepEqual(
      withProof.map(([, , { operationId }]) => operationId),
      ['register', 'login', 'usePasswordLink', 'freshToken', 'keepAccount'],
    );
  });

  test('what is always refused does not fit', async (t) => {
    const service = await startService(t, database);
    const { paths, components } = await readDescription(service);
    const { UnsubscribeBody, SubscribeBody } = components.schemas;
    for (const body of [{}, { endpoint: '' }, { id: '', endpoint: '' }])
      assert.ok(!Value.Check(UnsubscribeBody, body), JSON.stringify(body));
    for (const body of [{ id: 'x' }, { endpoint: 'x' }, { id: 'x', endpoint: '' }])
      assert.ok(Value.Check(UnsubscribeBody, body), JSON.stringify(body));
    for (const subscription of [{}, { endpoint: 'x' }, { endpoint: 'x', keys: { p256dh: 'x' } }, 7])
      assert.ok(!Value.Check(SubscribeBody, { userId: 'x', subscription }), JSON.stringify(subscription));

    const people = [];
    for (const name of ['alice', 'bob', 'carol', 'dora', 'erin']) people.push(await service.join(name));
    const [alice, ...others] = people;
    const { token = '' } = alice ?? {};
    for (const { id } of others) {
      await service.post('/api/friends/request', { userId: id }, { token });
      await service.post('/api/messages', { to: id, cid: id, body: 'hello' }, { token });
    }
    for (const { id } of others.slice(2)) await service.post('/api/user/block', { blockedId: id }, { token });
    for (const path of ['/api/users', '/api/conversations', '/api/friends', '/api/user/blocked']) {
      const { schema } = paths[path].get.parameters.find(({ name }: Body) => name === 'after');
      const listFrom = (after: string) =>
        service.get(`${path}?after=${encodeURIComponent(after)}`, { token });
      for (const after of ['any text', '', 'x', '字']) {
        assert.ok(!Value.Check(schema, after), `${path} ${after}`);
        assert.equal((await listFrom(after)).body.error, 'bad_cursor', `${path} ${after}`);
      }
      const { next = '' }: { next?: string } = (await service.get(`${path}?limit=1`, { token })).body;
      assert.ok(Value.Check(schema, next), `${path} ${next}`);
      const { status, text } = await listFrom(next);
      assert.equal(status, 200, text);
    }
  });

  test('a refusal lists its words: those of its fields, its rules, and of any call', async (t) => {
    const service = await startService(t, database);
    const { paths, components } = await describe(service);
    const { responses } = paths['/api/register'].post;
    assert.deepEqual(responses[400]['x-error-words'], [
      ...['username_length', 'password_too_short', 'password_too_long', 'invalid_field'],
      ...['username_invalid', 'nickname_invalid', 'avatar_invalid', 'password_common', 'username_taken'],
    ]);
    assert.match(responses[400].description, /^Bad request parameters: `username_length`, /);
    assert.deepEqual(responses[429], { $ref: '#/components/responses/TooManyRequests' });
    assert.deepEqual(components.responses.TooManyRequests['x-error-words'], ['rate_limited', 'overloaded']);
    assert.ok(components.responses.TooManyRequests.headers['Retry-After']);
    assert.deepEqual(components.responses.Unauthenticated['x-error-words'], ['unauthenticated']);
    assert.deepEqual(paths['/api/messages'].post.responses[403]['x-error-words'], [
      'not_accepting',
      'unblock_first',
    ]);
  });

  test('every word that a route names is one that the service refuses with', async (t) => {
    const service = await startService(t, database);
    const { text } = await service.get('/openapi.json');
    const words = [...text.matchAll(/"x-error-words":\[(.*?)\]/g)].flatMap(([, list = '']) =>
      list.split(','),
    );
    const sources = globSync('src/**/*.ts').filter((path) => !/(?:routes|\.test)\.ts$/.test(path));
    const refusing = sources.map((path) => readFileSync(path, 'utf8')).join('\n');
    assert.ok(words.length > 60, `${words.length} words`);
    const unused = words.filter((word) => !new RegExp(`['"\\s]${word.slice(1, -1)}\\b['":]`).test(refusing));
    const ofRoutes = ['"forbidden"', '"draining"', '"database"'];
    assert.deepEqual(
      [...new Set(unused)].filter((word) => !ofRoutes.includes(word)),
      [],
    );
  });

  test('the socket is described: the upgrade, its subprotocol, and where its frames are', async (t) => {
    const service = await startService(t, database);
    const { parameters, responses, summary } = (await describe(service)).paths['/ws'].get;
    assert.deepEqual(Object.keys(responses), ['101', '400', '403', '429', '500']);
    assert.equal(responses[101].content, undefined);
    assert.match(responses[101].description, /doorman\.v1/);
    assert.deepEqual([parameters[0].name, parameters[0].in], ['Sec-WebSocket-Protocol', 'header']);
    assert.match(summary, /\/asyncapi\.yaml/);
    assert.deepEqual(responses[403]['x-error-words'], ['origin']);
  });

  test('it is OpenAPI 3.1 in plain JSON Schema, with the version of the package', async (t) => {
    const service = await startService(t, database);
    const { status, headers, body, text } = await service.get('/openapi.json');
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'application/json; charset=utf-8');
    assert.equal(body.openapi, '3.1.0');
    assert.match(body.info.version, /^\d+\.\d+\.\d+$/);
    for (const annotation of ['"refusal"', '"tooLong"', '"words"', '~kind', '~optional'])
      assert.ok(!text.includes(annotation), annotation);
    const { RegisterBody: schema } = body.components.schemas;
    assert.deepEqual(body.paths['/api/register'].post.requestBody, {
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/RegisterBody' } } },
    });
    assert.equal(body.paths['/api/logout'].post.requestBody.required, false);
    assert.deepEqual(schema.required, ['username', 'password']);
    assert.deepEqual(schema.properties.password, { type: 'string', minLength: 6, maxLength: 128 });
    assert.deepEqual(body.paths['/api/user/block'].post.tags, ['block']);
    const { description } = body.paths['/api/user/block'].post.responses[404];
    assert.equal(description, 'Resource not found: `user_not_found`');
    assert.equal((await service.get('/openapi.json')).text, text);
  });
});

/** As it is sent, with its references. */
async function describe(service: TestService): Promise<Body> {
  return (await service.get('/openapi.json')).body;
}
