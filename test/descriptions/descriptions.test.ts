import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import Value from 'typebox/value';
import { parse } from 'yaml';
import { writeAsyncapi } from '../../scripts/asyncapi.ts';
import { serve } from '../client/serving.ts';
import { onSqlite } from '../databases.ts';
import type { Body } from '../harness.ts';
import { inline } from '../openapi.ts';
import { makeTemporaryFolder } from '../temporary-folders.ts';
import { areToolsInstalled, loadTool, TOOLS } from './tools.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const tsc = join(root, 'node_modules/typescript/bin/tsc');
const run = promisify(execFile);
const withTools = {
  skip: areToolsInstalled() ? false : 'its packages could not be installed: npm test tries again',
};

/** A client by `openapi-fetch` with the types that `openapi-typescript` makes. */
const program = `
import createClient from 'openapi-fetch';
import type { components, operations, paths } from './doorman.js';

declare const process: { argv: string[] };
const client = createClient<paths>({ baseUrl: process.argv[2] ?? '' });
const account: operations['register']['requestBody']['content']['application/json'] = {
  username: 'alice',
  password: 'wonderland',
};

const registered = await client.POST('/api/register', { body: account });
if (!registered.data) throw new Error(registered.error.error);
const { id, token }: components['schemas']['Registered'] = registered.data.data;
const profile = await client.GET('/api/user/profile/{userId}', { params: { path: { userId: id } } });
const user: components['schemas']['PublicProfile'] | undefined = profile.data?.data;
const again = await client.POST('/api/register', { body: account });
const refused: components['schemas']['ErrorAnswer'] | undefined = again.error;
const headers = { authorization: \`Bearer \${token}\` };
const sessions = await client.GET('/api/sessions', { headers });

// @ts-expect-error: a password is missing
void (() => client.POST('/api/register', { body: { username: 'bob' } }));
// @ts-expect-error: there is no such call
void (() => client.GET('/api/nothing'));
// @ts-expect-error: a profile has no token
void profile.data?.data.token;
console.log(
  JSON.stringify([user?.username, user?.isOnline, refused?.code, refused?.error, sessions.data?.data.length]),
);
`;

onSqlite('/openapi.json', (database) => {
  test('is valid OpenAPI 3.1', withTools, async (t) => {
    const service = await serve(t, database);
    const { Validator } = await loadTool('@seriousme/openapi-schema-validator');
    const { body } = await service.get('/openapi.json');
    const { valid, errors } = await new Validator().validate(body);
    assert.ok(valid, JSON.stringify(errors));
  });

  test(
    'makes a client that compiles strictly, and registers, reads a profile and is refused',
    withTools,
    async (t) => {
      const service = await serve(t, database);
      const folder = await makeTemporaryFolder('client');
      t.after(() => rm(folder, { recursive: true, force: true }));
      await Promise.all([
        symlink(join(TOOLS, 'node_modules'), join(folder, 'node_modules'), 'junction'),
        writeFile(join(folder, 'package.json'), '{ "type": "module" }'),
        writeFile(join(folder, 'program.ts'), program),
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
      const { stdout } = await run(process.execPath, ['program.js', service.url], { cwd: folder });
      assert.deepEqual(JSON.parse(stdout), ['alice', 0, 400, 'username_taken', 1]);
    },
  );
});

test('docs/asyncapi.yaml is what scripts/asyncapi.ts makes of the frames today', async () => {
  assert.equal(await readFile(join(root, 'docs/asyncapi.yaml'), 'utf8'), writeAsyncapi());
});

test('docs/asyncapi.yaml has examples of each message, which fit it', () => {
  const description = parse(writeAsyncapi());
  const { messages } = inline(description, description).components;
  assert.ok(Object.keys(messages).length > 35);
  for (const [name, { payload, examples }] of Object.entries<Body>(messages)) {
    assert.ok(examples?.length > 0, `${name}: docs/protocol.md has no example of it`);
    for (const example of examples)
      assert.ok(Value.Check(payload, example.payload), `${name}: ${JSON.stringify(example.payload)}`);
  }
});

test('docs/asyncapi.yaml names sections that docs/protocol.md has', async () => {
  const headings = (await readFile(join(root, 'docs/protocol.md'), 'utf8')).matchAll(/^#+ (.*)$/gm);
  const anchors = [...headings].map(([, heading = '']) =>
    heading.toLowerCase().replaceAll(/[`:]/g, '').replaceAll(' ', '-'),
  );
  const named = [...writeAsyncapi().matchAll(/protocol\.md#([\w-]+)/g)].map(([, section = '']) => section);
  assert.ok(named.length > 20, String(named.length));
  assert.deepEqual(
    named.filter((section) => !anchors.includes(section)),
    [],
  );
});

test('docs/asyncapi.yaml is valid AsyncAPI 3.0', withTools, async () => {
  const { Parser } = await loadTool('@asyncapi/parser');
  const { document, diagnostics } = await new Parser().parse(writeAsyncapi());
  // Less severe than a warning is only that 3.0.0 is not the latest version.
  const wrong = diagnostics.filter(({ severity }: Body) => severity <= 1);
  assert.deepEqual(
    wrong.map(({ path, message }: Body) => `${path.join('.')}: ${message}`),
    [],
  );
  assert.deepEqual([document?.version(), document?.operations().all().length], ['3.0.0', 21]);
});
