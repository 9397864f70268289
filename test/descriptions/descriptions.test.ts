import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import Value from 'typebox/value';
import { parse } from 'yaml';
import { describeSocket } from '../../scripts/asyncapi.ts';
import { createPasswordLink } from '../../src/accounts/password-links.ts';
import { makeKey } from '../api-key.ts';
import { serve } from '../client/serving.ts';
import { onSqlite } from '../databases.ts';
import { type Body, startService } from '../harness.ts';
import { codeIn, tokenIn } from '../mailed.ts';
import { inline, operations } from '../openapi.ts';
import { startSmtp } from '../smtp.ts';
import { makeTemporaryFolder } from '../temporary-folders.ts';
import { PROGRAM } from './generated-client.ts';
import { areToolsInstalled, loadTool, TOOLS } from './tools.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const tsc = join(root, 'node_modules/typescript/bin/tsc');
const run = promisify(execFile);
const withTools = {
  skip: areToolsInstalled() ? false : 'its packages could not be installed: npm test tries again',
};

onSqlite('/openapi.json', (database) => {
  test('is valid OpenAPI 3.1', withTools, async (t) => {
    const service = await serve(t, database);
    const { Validator } = await loadTool('@seriousme/openapi-schema-validator');
    const { body } = await service.get('/openapi.json');
    const { valid, errors } = await new Validator().validate(body);
    assert.ok(valid, JSON.stringify(errors));
  });

  test(
    'makes a client that compiles strictly, calls each operation, and finds mistakes',
    withTools,
    async (t) => {
      const smtp = await startSmtp(t);
      const service = await serve(t, database, {
        env: { SMTP_URL: smtp.url, PUBLIC_URL: 'https://chat.example.org' },
        world: { resolve: async () => [] },
      });
      const { id, token, username, password } = await service.join('dora');
      const readMail = async (to: string) => {
        await service.mails.runDue();
        return smtp.received(to).at(-1)?.text ?? '';
      };
      await service.post('/api/account/email', { email: 'dora@example.org' }, { token });
      const code = codeIn(await readMail('dora@example.org'));
      await service.post('/api/account/email/verify', { code }, { token });
      await service.post('/api/login', { username, password }, { from: '198.51.100.7' });
      const endLink = tokenIn(await readMail('dora@example.org'), 'end-session');
      await service.post('/api/account/email', { email: 'new@example.org' }, { token });
      const verifyLink = tokenIn(await readMail('new@example.org'), 'verify-email');
      const link = await service.services.db.transaction((tx) => createPasswordLink(tx, id, Date.now()));
      const folder = await makeTemporaryFolder('client');
      t.after(() => rm(folder, { recursive: true, force: true }));
      await Promise.all([
        symlink(join(TOOLS, 'node_modules'), join(folder, 'node_modules'), 'junction'),
        writeFile(join(folder, 'package.json'), '{ "type": "module" }'),
        writeFile(join(folder, 'program.ts'), PROGRAM),
      ]);
      const make = join(TOOLS, 'node_modules/openapi-typescript/bin/cli.js');
      const from = [`${service.url}/openapi.json`, '--output', 'doorman.ts'];
      await run(process.execPath, [make, ...from], { cwd: folder });
      const options = '--strict --exactOptionalPropertyTypes --target es2022 --module nodenext --types'.split(
        ' ',
      );
      await run(process.execPath, [tsc, ...options, '', 'program.ts'], { cwd: folder }).catch(({ stdout }) =>
        assert.fail(stdout),
      );
      const key = await makeKey(service);
      const args = ['program.js', service.url, link?.token ?? '', verifyLink, endLink, key.token];
      const { stdout } = await run(process.execPath, args, { cwd: folder });
      const { codes, profile, refusal } = JSON.parse(stdout);
      const { body } = await service.get('/openapi.json');
      const names = operations(body.paths).map(([, , { operationId }]) => operationId);
      // The request of the socket is a plain one here.
      const expected = names.map((name) => [name, name === 'openSocket' ? 400 : 200]);
      assert.deepEqual(codes, Object.fromEntries(expected));
      assert.deepEqual([profile.username, profile.isOnline], ['alice', 0]);
      assert.deepEqual([refusal.code, refusal.error], [400, 'username_taken']);
    },
  );
});

onSqlite('/asyncapi.yaml', (database) => {
  test('is what scripts/asyncapi.ts makes of the frames today', async (t) => {
    const service = await startService(t, database);
    const { statusCode, headers, payload } = await service.app.inject('/asyncapi.yaml');
    assert.equal(statusCode, 200, 'npm run setup makes it');
    assert.match(String(headers['content-type']), /^(?:text|application)\/yaml\b/);
    assert.deepEqual(parse(payload), parse(describeSocket()));
  });
});

test('/asyncapi.yaml has examples of each message, which fit it', () => {
  const description = parse(describeSocket());
  const { messages } = inline(description, description).components;
  assert.ok(Object.keys(messages).length > 35);
  for (const [name, { payload, examples }] of Object.entries<Body>(messages)) {
    assert.ok(examples?.length > 0, `${name}: docs/protocol.md has no example of it`);
    for (const example of examples)
      assert.ok(Value.Check(payload, example.payload), `${name}: ${JSON.stringify(example.payload)}`);
  }
});

test('/asyncapi.yaml names each schema of which a generator makes a type', () => {
  const { components } = parse(describeSocket());
  const { schemas, messages } = components;
  const unnamed = Object.entries<Body>(schemas).flatMap(([name, schema]) =>
    Object.entries(schema).flatMap(([key, part]) => findTypes(part, `${name}.${key}`)),
  );
  assert.deepEqual(unnamed, []);
  const names = Object.entries<Body>(messages).map(([key, { payload }]) => [
    key,
    payload.$ref.split('/').at(-1),
  ]);
  for (const [key, name] of names) {
    assert.match(name, new RegExp(`^${key}(?:Request)?$`, 'i'));
    assert.ok(schemas[name], name);
  }
});

/** The places of objects and enumerations within a schema. */
function findTypes(value: unknown, place: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, one]) => findTypes(one, `${place}.${key}`));
  const isType =
    ('type' in value && value.type === 'object') || ('enum' in value && Array.isArray(value.enum));
  return isType ? [place, ...inner] : inner;
}

test('/asyncapi.yaml names sections that docs/protocol.md has', async () => {
  const headings = (await readFile(join(root, 'docs/protocol.md'), 'utf8')).matchAll(/^#+ (.*)$/gm);
  const anchors = [...headings].map(([, heading = '']) =>
    heading.toLowerCase().replaceAll(/[`:]/g, '').replaceAll(' ', '-'),
  );
  const named = [...describeSocket().matchAll(/protocol\.md#([\w-]+)/g)].map(([, section = '']) => section);
  assert.ok(named.length > 20, String(named.length));
  assert.deepEqual(
    named.filter((section) => !anchors.includes(section)),
    [],
  );
});

test('/asyncapi.yaml is valid AsyncAPI 3.0', withTools, async () => {
  const { Parser } = await loadTool('@asyncapi/parser');
  const { document, diagnostics } = await new Parser().parse(describeSocket());
  // Less severe than a warning is only that 3.0.0 is not the latest version.
  const wrong = diagnostics.filter(({ severity }: Body) => severity <= 1);
  assert.deepEqual(
    wrong.map(({ path, message }: Body) => `${path.join('.')}: ${message}`),
    [],
  );
  assert.deepEqual([document?.version(), document?.operations().all().length], ['3.0.0', 28]);
});
