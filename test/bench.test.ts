import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onPostgres } from '../bench/databases.ts';
import { percentile } from '../bench/measure.ts';
import { familyMicros, OperationCost, processMicros } from '../bench/processor-time.ts';
import { toTable } from '../bench/table.ts';
import { findPostgres } from './postgres-cluster.ts';
import { makeTemporaryFolder, removeFolder } from './temporary-folders.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

test('the bench runs its rows and prints tables of ratios', { timeout: 290_000 }, async (t) => {
  // In memory: a disk that stands still for seconds makes PostgreSQL miss the service's time limits, which are answered with 500.
  const TMPDIR = await makeTemporaryFolder('bench');
  await chmod(TMPDIR, 0o711); // PostgreSQL runs as another user where the tests run as root
  t.after(() => removeFolder(TMPDIR));
  // Two at a time, since the figures do not matter here.
  const runs = [
    'profile,authenticated,login,list,writes,postgres-acknowledged',
    'connections,messages,push,start,standstill,stall,changes,search,pictures,export,import',
  ].map((names) =>
    promisify(execFile)(process.execPath, ['bench/bench.ts', '--tiny', `--only=${names}`], {
      cwd: root,
      env: { ...process.env, TMPDIR },
      timeout: 280_000,
    }),
  );
  const stdout = (await Promise.all(runs)).map((run) => run.stdout).join('');
  const rows = stdout.split('\n').filter((line) => line.startsWith('| '));
  const cellsOf = (work: string) => {
    const row = rows.find((line) => line.startsWith(`| ${work}`));
    assert.ok(row, `no row "${work}" in\n${stdout}`);
    return row.split('|').map((cell) => cell.trim());
  };
  const installed = findPostgres() ? ['PostgreSQL: message, 64 senders, devices acknowledge: stored'] : [];
  // A slow machine may round it to 0.00.
  for (const work of [
    'public profile',
    'authenticated call: empty block list',
    'authenticated call: 10 blocked',
    'login (bcrypt cost 4)',
    'full list, 2,000 users (',
    'full list, 2,000 users: the first call',
    'push (decide',
    'message with `replyTo`',
    'reaction',
    'list of 200 conversations',
    '1,000 messages read by a search',
    'search of 1,000 messages among 4,000',
    'start to first answer',
    'get of a picture',
    'import of 1,000 users',
    'import of 1,000 messages',
    'profile updates, 64 senders',
    'registrations, 64 senders',
    ...installed,
  ]) {
    const [, , , , ratio = '', , , , service = ''] = cellsOf(work);
    assert.match(ratio, /^\d+\.\d\d$/, `${work} has no ratio in\n${stdout}`);
    if (existsSync('/proc/self/stat'))
      assert.match(service, /^[\d,.]+$/, `${work} has no processor time in\n${stdout}`);
  }
  for (const work of installed)
    assert.match(cellsOf(work)[9] ?? '', /^[\d,.]+$/, `no processor time of PostgreSQL in\n${stdout}`);
  for (const work of [
    'standstill by the hourly work',
    'longest message of others while 400 conversations',
    'longest turn while 2 searches',
    'longest turn while 4,000 messages are downloaded',
    'memory added while 4,000 messages are downloaded',
    'stall by POST /api/login',
    'stall by the first GET /docs',
  ])
    assert.ok(
      rows.some((line) => line.startsWith(`| ${work}`)),
      `no row "${work}" in\n${stdout}`,
    );
  assert.match(stdout, /cores, .* Node \d+\.\d+\.\d+, \d{4}-\d\d-\d\d/);
});

test('without PostgreSQL its rows say so', async () => {
  const lines = await onPostgres('messages', () => assert.fail('was run'), false);
  assert.deepEqual(
    lines.map(({ work, ours }) => `${work}: ${ours}`),
    ['PostgreSQL: messages: not measured: PostgreSQL is not installed'],
  );
});

test('the processor time of PostgreSQL holds that of processes which ended', {
  skip: !existsSync('/proc/self/stat'),
}, async () => {
  const TICKS = 50_000; // the system counts in steps of 10 ms, for each process and mode
  const before = (await familyMicros(process.pid)) ?? 0;
  const work = 'while (process.cpuUsage().user < 200_000); console.log(process.cpuUsage().user)';
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', work]);
  const after = (await familyMicros(process.pid)) ?? 0;
  assert.ok(after - before >= Number(stdout) - TICKS, `${after - before} of ${stdout}`);
  const own = await processMicros(process.pid);
  const { user, system } = process.cpuUsage();
  assert.ok(own && own <= user + system && own < after, `${own} of ${user + system}`);
});

test('an operation costs what the clock showed by the number of operations', async () => {
  let micros = 0;
  const cost = new OperationCost(async () => micros);
  assert.equal(cost.microsEach, undefined);
  for (const [count, spent] of [
    [10, 150],
    [30, 250],
  ] as const) {
    await cost.during(async () => {
      micros += spent;
      return { count };
    });
    micros += 1000;
  }
  assert.equal(cost.microsEach, 10);
  const blind = new OperationCost(async () => undefined);
  await blind.during(async () => ({ count: 1 }));
  assert.equal(blind.microsEach, undefined);
});

test('a ratio reaches its aim by being high, a time by being low', () => {
  const line = (value: number, unit: 'ratio' | 'ms', floor: number, aim: number) => ({
    work: 'w',
    ours: '',
    bare: '',
    target: { value, unit, floor, aim },
  });
  const table = toTable([
    line(0.64, 'ratio', 0.45, 0.65),
    line(0.65, 'ratio', 0.45, 0.65),
    line(0.44, 'ratio', 0.45, 0.65),
    line(9, 'ms', 20, 10),
    line(20, 'ms', 20, 10),
  ]);
  const verdicts = table
    .split('\n')
    .slice(2)
    .map((row) => row.split('|')[7]?.trim());
  assert.deepEqual(verdicts, [
    'above the floor',
    'aim reached',
    'BELOW THE FLOOR',
    'aim reached',
    'BELOW THE FLOOR',
  ]);
});

test('the 99th percentile of a hundred numbers is the second highest', () => {
  const numbers = Array.from({ length: 100 }, (_, i) => 100 - i);
  assert.equal(percentile(numbers, 99), 99);
  assert.equal(percentile(numbers, 50), 50);
  assert.equal(percentile([], 99), 0);
});
