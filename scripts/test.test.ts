import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** Runs a test file of this text as `npm run test:unit` does. @returns the exit code and the last line */
async function run(t: TestContext, text: string): Promise<[number | null, string]> {
  const folder = await mkdtemp(join(tmpdir(), 'doorman-runner-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'one.test.mjs');
  await writeFile(file, text);
  const { status, lines } = runUnit(file);
  return [status, (lines.at(-1) ?? '').replace(/[\d.]+ s$/, 'N s')];
}

/** Runs `npm run test:unit -- NAME ...`. */
function runUnit(...named: string[]) {
  return runWith('--unit', ...named);
}

/** Runs the script with these words. */
function runWith(...words: string[]) {
  const script = fileURLToPath(new URL('./test.mjs', import.meta.url));
  // Without the variable by which Node's runner detects that it runs inside itself.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...words], {
    env,
    encoding: 'utf8',
  });
  return { status, lines: `${stdout}${stderr}`.trimEnd().split('\n') };
}

const use = "import { describe, test } from 'node:test';";
const nothing = 'FAILED: no test was executed';

test('a run ends with a line with its counts', async (t) => {
  const passing = `${use} describe('group', () => test('one', () => {})); test.skip('two');`;
  assert.deepEqual(await run(t, passing), [0, 'PASSED: 1 passed, 0 failed, 1 skipped, N s']);
  const failing = `${use} test('one', () => {}); test('two', () => { throw new Error(); });`;
  assert.deepEqual(await run(t, failing), [1, 'FAILED: 1 passed, 1 failed, 0 skipped, N s']);
});

test('a run in which no test is executed fails', async (t) => {
  assert.deepEqual(await run(t, ''), [1, nothing]);
  assert.deepEqual(await run(t, `${use} describe('group', () => {});`), [1, nothing]);
  assert.deepEqual(await run(t, `${use} describe.skip('group', () => test('one', () => {}));`), [1, nothing]);
  assert.deepEqual(await run(t, "import 'node:child_process';"), [1, nothing]);
});

test('a room is a folder of src, or of another part by the name of both; its tests run on SQLite alone', () => {
  const isRunOn = (lines: string[], database: string) =>
    lines.some((line) => line.startsWith('▶ ') && line.endsWith(`(${database})`));
  const inbox = runUnit('inbox');
  assert.equal(inbox.status, 0);
  assert.deepEqual([isRunOn(inbox.lines, 'SQLite'), isRunOn(inbox.lines, 'PostgreSQL')], [true, false]);
  const worker = runUnit('web/worker');
  assert.match(worker.lines.at(-1) ?? '', /^PASSED: \d+ passed, 0 failed, 0 skipped, /);
  assert.equal(isRunOn(worker.lines, 'SQLite'), false);
});

test('a room without tests fails, also beside others', () => {
  assert.deepEqual(runUnit('users', 'nowhere'), { status: 1, lines: ['FAILED: no tests in nowhere'] });
});

test('an option may stand behind a name, and an unknown one fails', () => {
  assert.deepEqual(runWith('nowhere', '--unit'), { status: 1, lines: ['FAILED: no tests in nowhere'] });
  assert.deepEqual(runUnit('--quick', 'inbox'), { status: 1, lines: ['FAILED: unknown option --quick'] });
});
