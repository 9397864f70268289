import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { DoormanEvents, SessionEnd } from 'doorman-client';
import { onSqlite } from '../databases.ts';
import { serve } from './serving.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const tsc = join(root, 'node_modules/typescript/bin/tsc');
const document = await readFile(join(root, 'docs/client.md'), 'utf8');

/** The examples of one kind, in their order. */
function examples(kind: 'run' | 'browser' | 'worker'): string[] {
  const all = [...document.matchAll(/^```ts (\w+)\n(.*?)^```$/gms)];
  return all.flatMap(([, found, code = '']) => (found === kind ? [code] : []));
}

/** What the examples of a page, or of a worker, assume to exist. */
const AROUND = {
  browser:
    "import type { Doorman } from 'doorman-client';\ndeclare const doorman: Doorman;\ndeclare const button: HTMLButtonElement;\n",
  worker: 'declare const self: ServiceWorkerGlobalScope;\n',
};

onSqlite('docs/client.md', (database) => {
  test('every example type-checks, and does what its comments say', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'doorman-document-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const kit = join(folder, 'node_modules/doorman-client');
    await mkdir(kit, { recursive: true });
    await run(process.execPath, [join(root, 'scripts/client-package.mjs'), kit]);

    const service = await serve(t, database);
    const program = examples('run').join('\n');
    assert.ok(program.includes("'http://localhost:3000'"));
    await writeFile(join(folder, 'program.ts'), program.replace('http://localhost:3000', service.url));
    for (const [i, example] of examples('browser').entries())
      await writeFile(join(folder, `browser-${i}.ts`), AROUND.browser + example);
    for (const [i, example] of examples('worker').entries())
      await writeFile(join(folder, `worker-${i}.ts`), AROUND.worker + example);
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await check(folder, ['dom', 'dom.iterable'], ['program.ts', 'browser-*.ts']);
    await check(folder, ['webworker'], ['worker-*.ts']);

    const { stdout, stderr } = await run(process.execPath, ['program.js'], { cwd: folder, timeout: 120_000 });
    assert.equal(stderr, '');
    const shown = [...program.matchAll(/console\.log\(.*\)\)?; \/\/ (.*)$/gm)].map(([, text]) => text);
    assert.ok(shown.length > 15);
    const printed = stdout.trimEnd().split('\n');
    assert.deepEqual(printed, shown);
  });

  test('has every event, every end of a session and every state of the connection', () => {
    const events: Record<keyof DoormanEvents, true> = {
      session: true,
      connection: true,
      snapshot: true,
      message: true,
      unsent: true,
      edited: true,
      reaction: true,
      conversation: true,
      marked: true,
      friend: true,
      block: true,
      unblock: true,
      profile: true,
      settings: true,
      privacy: true,
      quiet: true,
      message_request: true,
      report: true,
      sessions: true,
      account: true,
      presence: true,
      typing: true,
      outgoing: true,
      change: true,
      storage: true,
    };
    const ends: Record<SessionEnd, true> = {
      signed_out: true,
      ended: true,
      leaving: true,
      expired: true,
      suspended: true,
    };
    const states: Record<DoormanEvents['connection']['state'], true> = {
      off: true,
      connecting: true,
      live: true,
      waiting: true,
      stopped: true,
    };
    const rows = [...document.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)].flatMap(([, words = '']) =>
      words.replaceAll('`', '').split(', '),
    );
    for (const word of [events, ends, states].flatMap((all) => Object.keys(all)))
      assert.ok(rows.includes(word), word);
  });
});

async function check(folder: string, lib: string[], include: string[]): Promise<void> {
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2023', ...lib],
    module: 'nodenext',
    strict: true,
    types: [],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
  await run(process.execPath, [tsc, '-p', folder]).catch(({ stdout }) => assert.fail(stdout));
}
