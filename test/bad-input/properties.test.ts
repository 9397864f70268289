import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Type } from 'typebox';
import Value from 'typebox/value';
import { KeyMessage } from '../../src/admin/schemas.ts';
import { anyText, anyUrl } from '../any-text.ts';
import { makeKey } from '../api-key.ts';
import { onEachDatabase } from '../databases.ts';
import { type Answer, startService } from '../harness.ts';
import { assertEnvelope } from './envelope.ts';
import { apiRoutes, type Field, fieldsOf, plainest, type Route } from './surface.ts';

/** The start of every generated secret, so that a leak can be found anywhere. */
const MARK = 'Geheim!';
/** A password hash of any form, a private key, or an internal column. */
const PRIVATE = /\$2[aby]\$|\$bcrypt-sha256\$|"d":|password_hash|username_key|nickname_key|push_preview"?:/;

onEachDatabase('Bad input: any body', (database) => {
  test('no body causes a fault, every answer matches its schema, and no secret leaks', async (t) => {
    // Push endpoints resolve to no address.
    const service = await startService(t, database, {
      env: { PUBLIC_URL: 'https://chat.example.com' },
      world: { resolve: async () => [] },
    });
    const people = [await service.join('alice'), await service.join('bob')];
    // What a key does to users ends their sessions, too.
    const [dora, eve] = [await service.join('dora'), await service.join('eve')];
    const idsFor = ({ isForKeys }: Route) => (isForKeys ? [dora, eve] : people).map(({ id }) => id);
    const key = await makeKey(service);
    const endings = ['/api/logout', '/api/account/delete'];
    const posts = apiRoutes(service.app).filter(({ body, path }) => body && !endings.includes(path));

    await fc.assert(
      fc.asyncProperty(
        fc
          .constantFrom(...posts)
          .chain((route) => fc.tuple(fc.constant(route), anyBody(route, idsFor(route)))),
        fc.nat({ max: 3 }),
        async ([route, body], n) => {
          const raw = JSON.stringify(body);
          const what = `${route.path} ${raw}`;
          const { token = '' } = (route.isForKeys ? key : people[0]) ?? {};
          const call = { raw, ...(n > 0 && { token }) };
          const answer = await service.call('POST', route.path, call);
          assertEnvelope(answer, what);
          assert.notEqual(answer.status, 500, what);
          assertAsDescribed(answer, route, what);
          assert.ok(!answer.text.includes(MARK), what);
          assert.doesNotMatch(answer.text, PRIVATE, what);
        },
      ),
      { numRuns: 600, ...(process.env.FC_SEED && { seed: Number(process.env.FC_SEED) }) },
    );

    for (const line of service.logLines) {
      assert.ok(!line.includes(MARK), line);
      assert.doesNotMatch(line, PRIVATE, line);
      assert.ok(JSON.parse(line).level < 50, line);
    }
    assert.equal((await service.get('/api/users', { token: people[1]?.token ?? '' })).status, 200);
  });

  test('no query causes a fault, and every answer matches its schema', async (t) => {
    const service = await startService(t, database);
    const { token } = await service.join('alice');
    const key = await makeKey(service);
    const gets = apiRoutes(service.app).filter(({ method }) => method === 'GET');
    const word = fc.oneof(anyText({ maxLength: 80 }), fc.constantFrom('0', '1', '1000', '__proto__'));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...gets),
        fc.array(fc.tuple(word, word), { maxLength: 3 }),
        fc.context(),
        async (route, others, log) => {
          const names = route.query ? fieldsOf(route.query).map(([name]) => name) : ['x'];
          const pairs = others.map(([name, value], n) => [
            names[n % names.length] ?? name,
            value.toWellFormed(),
          ]);
          const path = `${route.path.replace(':userId', encodeURIComponent(others[0]?.[0].slice(0, 30).toWellFormed() ?? 'x'))}?${new URLSearchParams(pairs)}`;
          log.log(path);
          const answer = await service.get(path, route.isForKeys ? key : { token });
          assertEnvelope(answer, path);
          assert.notEqual(answer.status, 500, path);
          assertAsDescribed(answer, route, path);
        },
      ),
      { numRuns: 300, ...(process.env.FC_SEED && { seed: Number(process.env.FC_SEED) }) },
    );
    assert.deepEqual(
      service.logLines.filter((line) => JSON.parse(line).level >= 50),
      [],
    );
  });
});

/** Checks that an answer has only the fields of its route's contract. */
function assertAsDescribed({ status, body }: Answer, { answer }: Route, what: string): void {
  if (status !== 200 || !answer) return;
  const closed = Value.Clean(Type.Object({ whole: answer }), { whole: structuredClone(body) });
  assert.deepEqual(closed, { whole: body }, what);
  assert.ok(Value.Check(answer, body), what);
}

/** Bodies that are mostly valid, so that they pass the first checks, and wrong in any way. */
function anyBody({ body, path }: Route, ids: readonly string[]): fc.Arbitrary<unknown> {
  if (!body) throw new Error(`${path} has no body`);
  const plain = plainest(body);
  const fields = Object.fromEntries(
    fieldsOf(body).map(([name, field]) => [
      name,
      fc.oneof(
        { weight: 16, arbitrary: likely(name, field, ids) },
        { weight: 2, arbitrary: fc.constant(plain[name] ?? '') },
        { weight: 1, arbitrary: isSecret(name) ? fc.constantFrom(7, null, [MARK]) : fc.jsonValue() },
        { weight: 1, arbitrary: fc.constantFrom('\0', '\ud800', '', '__proto__', 'constructor') },
      ),
    ]),
  );
  const known = fc.record(fields, { requiredKeys: [] });
  const unknown = fc.dictionary(
    fc.constantFrom('__proto__', 'constructor', 'id', 'token', 'status', 'x'),
    fc.jsonValue(),
  );
  return fc.oneof(
    {
      weight: 8,
      arbitrary: fc.tuple(unknown, known).map(([more, some]) => ({ ...more, ...plain, ...some })),
    },
    { weight: 1, arbitrary: known },
    { weight: 1, arbitrary: fc.jsonValue() },
  );
}

function isSecret(name: string): boolean {
  return /password/i.test(name) || name === 'subscription';
}

function likely(name: string, field: Field, ids: readonly string[]): fc.Arbitrary<unknown> {
  const { maxLength = 40, enum: values, type } = field;
  if (/^(userId|blockedId|peerId|to|peer|from)$/.test(name)) return fc.constantFrom(...ids, 'nobody');
  if (name === 'messages') return fc.array(likelyMessage(ids), { maxLength: 4 });
  if (/password/i.test(name)) return fc.string({ unit: 'grapheme', maxLength: 30 }).map((end) => MARK + end);
  if (name === 'subscription') return likelySubscription();
  if (values) return fc.constantFrom(...values);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return fc.oneof(fc.nat({ max: 3 }), fc.maxSafeInteger());
  if (name === 'phone') return fc.constantFrom('', '13800138000', '+49 (30) 123-45', 'x');
  const plain = fc.string({ unit: 'grapheme-ascii', minLength: 2, maxLength: 20 }).map((one) => `a${one}z`);
  const any = anyText({ minLength: 1, maxLength: Math.min(maxLength, 60) });
  const usual = name === 'email' ? fc.emailAddress() : name === 'avatar' ? anyUrl('http', 'https') : plain;
  return fc.oneof({ weight: 5, arbitrary: usual }, { weight: 1, arbitrary: any });
}

function likelyMessage(ids: readonly string[]): fc.Arbitrary<object> {
  const fields = fieldsOf(KeyMessage).map(([name, field]): [string, fc.Arbitrary<unknown>] => [
    name,
    fc.oneof({ weight: 9, arbitrary: likely(name, field, ids) }, { weight: 1, arbitrary: fc.jsonValue() }),
  ]);
  const all: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(fields);
  return fc.record(all, { requiredKeys: ['from', 'to'] });
}

function likelySubscription(): fc.Arbitrary<unknown> {
  const key = fc.oneof(
    fc.uint8Array({ minLength: 16, maxLength: 65 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
    fc.string().map((end) => MARK + end),
  );
  const endpoint = fc.oneof({ weight: 4, arbitrary: anyUrl('https') }, anyUrl('http', 'ftp'), fc.string());
  const object = fc.record({ endpoint, keys: fc.record({ p256dh: key, auth: key }) });
  return fc.oneof(
    object,
    object.map((one) => JSON.stringify(one)),
    fc.json(),
  );
}
