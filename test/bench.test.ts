import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { percentile } from '../bench/measure.ts';
import { toTable } from '../bench/table.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

test('the bench runs its rows and prints tables of ratios', { timeout: 290_000 }, async () => {
  // Two at a time, since the figures do not matter here.
  const runs = ['profile,authenticated,login,list,writes', 'connections,messages,push,start,standstill'].map(
    (names) =>
      promisify(execFile)(process.execPath, ['bench/bench.ts', '--tiny', `--only=${names}`], {
        cwd: root,
        timeout: 280_000,
      }),
  );
  const stdout = (await Promise.all(runs)).map((run) => run.stdout).join('');
  const rows = stdout.split('\n').filter((line) => line.startsWith('| '));
  const ratioOf = (work: string) => {
    const row = rows.find((line) => line.startsWith(`| ${work}`));
    assert.ok(row, `no row "${work}" in\n${stdout}`);
    return row.split('|')[4]?.trim() ?? '';
  };
  // A slow machine may round it to 0.00.
  for (const work of [
    'public profile',
    'authenticated call: empty block list',
    'authenticated call: 10 blocked',
    'login (bcrypt cost 4)',
    'full list, 2,000 users (',
    'full list, 2,000 users: the first call',
    'push (decide',
    'start to first answer',
    'profile updates, 64 senders',
    'registrations, 64 senders',
  ])
    assert.match(ratioOf(work), /^\d+\.\d\d$/, `${work} has no ratio in\n${stdout}`);
  for (const work of ['standstill by the hourly work', 'longest message of others while 400 conversations'])
    assert.ok(
      rows.some((line) => line.startsWith(`| ${work}`)),
      `no row "${work}" in\n${stdout}`,
    );
  assert.match(stdout, /cores, .* Node \d+\.\d+\.\d+, \d{4}-\d\d-\d\d/);
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
