import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { onSqlite } from '../databases.ts';
import { settingsOf, startServer } from '../processes.ts';

onSqlite('two people in two terminals', (database) => {
  test('they talk, block, unblock, leave, get a push, come back, and survive a kill of the server', async (t) => {
    const settings = settingsOf(await database.create(t));
    let server = await startServer(settings);
    const { url } = server;
    const folder = await mkdtemp(join(tmpdir(), 'doorman-clients-'));
    const terminals: Terminal[] = [];
    const run = (script: string, name: string) => {
      const terminal = new Terminal(script, [name, `password-of-${name}`, '--url', url], folder);
      terminals.push(terminal);
      return terminal;
    };
    try {
      const [alice, bob] = [run('chat', 'alice'), run('chat', 'bob')];
      await Promise.all([alice.prints('-- live'), bob.prints('-- live')]);

      alice.types('bob: hello');
      await bob.prints('alice: hello');
      await alice.prints('-- message 1 to bob is stored');
      await alice.prints('-- bob has read up to message 1');
      bob.types('/friend alice');
      await alice.prints('-- bob: asks to be a friend');
      alice.types('/friend bob');
      await bob.prints('-- alice: a friend now');
      alice.types('/who');
      await alice.prints('* bob');

      alice.types('/block bob');
      await alice.prints('-- you block bob');
      bob.types('/to alice are you there');
      await bob.prints('-- not sent to alice: 对方暂不接收');
      alice.types('/unblock bob');
      await alice.prints('-- you no longer block bob');
      bob.types('/to alice at last');
      await alice.prints('bob: at last');
      assert.ok(!alice.unread.includes('bob: are you there'));

      const receiver = run('push-receiver', 'alice');
      await receiver.prints('-- waiting for pushes to alice');
      await bob.prints('-- alice has read up to message 2');
      alice.types('/bye');
      assert.equal(await alice.ended, 0);
      bob.types('alice: come back');
      await receiver.prints('[push] bob: New message');

      const again = run('chat', 'alice');
      await again.prints('bob: come back');
      assert.deepEqual(
        again.unread.filter((line) => !line.startsWith('--')),
        [],
        'what was shown before is not shown again',
      );
      await again.prints('-- live');
      again.types('/history bob');
      for (const line of ['#1 alice: hello', '#2 bob: at last', '#3 bob: come back'])
        await again.prints(line);

      await server.kill();
      await Promise.all([again.printsLike(/^-- disconnected/), bob.printsLike(/^-- disconnected/)]);
      again.types('bob: written in the dark');
      await again.prints('-- will be sent when connected');
      server = await startServer({ ...settings, PORT: new URL(url).port });
      await bob.prints('alice: written in the dark');
      await again.prints('-- message 4 to bob is stored');
    } finally {
      for (const terminal of terminals) await terminal.kill();
      await server.kill();
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('a wrong password and an unreachable service are reported in one line', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'doorman-clients-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    await using server = await startServer(settingsOf(await database.create(t)));
    await server.post('/api/register', { username: 'alice', password: 'wonderland' });
    assert.equal(
      await errorsOf(t, ['alice', 'through the glass', '--url', server.url], folder),
      '密码错误\n',
    );
    await server.kill();
    assert.equal(
      await errorsOf(t, ['alice', 'wonderland', '--url', server.url], folder),
      `fetch failed: ${server.url} does not answer\n`,
    );
  });
});

/** What a client prints that cannot start. */
async function errorsOf(t: TestContext, words: string[], folder: string): Promise<string> {
  const terminal = new Terminal('chat', words, folder);
  t.after(() => terminal.kill());
  assert.equal(await terminal.ended, 1);
  return terminal.errors;
}

/** A script of `docs/` in a process of its own, used by typing lines and reading them. */
class Terminal {
  readonly #child: ChildProcessWithoutNullStreams;
  /** Its exit code; null if a signal ended it. */
  readonly ended: Promise<number | null>;
  /** Lines that no test has read yet. */
  readonly unread: string[] = [];
  errors = '';
  #isOver = false;
  #wake: () => void = () => {};

  constructor(script: string, words: string[], folder: string) {
    const cwd = fileURLToPath(new URL('../..', import.meta.url));
    const env = { PATH: process.env.PATH, TMPDIR: folder };
    this.#child = spawn(process.execPath, [`docs/${script}.mjs`, ...words], { cwd, env });
    createInterface(this.#child.stdout).on('line', (line) => {
      this.unread.push(line);
      this.#wake();
    });
    this.#child.stderr.on('data', (text) => {
      this.errors += text;
    });
    this.#child.stdin.on('error', () => {}); // it has ended, as `ended` shows
    this.ended = once(this.#child, 'close').then(([code]) => {
      this.#isOver = true;
      this.#wake();
      return code;
    });
  }

  types(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  /** Waits for a line and takes it out; earlier lines stay. */
  prints(line: string): Promise<void> {
    return this.#find((printed) => printed === line, line);
  }

  printsLike(pattern: RegExp): Promise<void> {
    return this.#find((printed) => pattern.test(printed), String(pattern));
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  async #find(isMeant: (line: string) => boolean, what: string): Promise<void> {
    const signal = AbortSignal.timeout(60_000); // a line takes some seconds at most: a start, a push
    signal.addEventListener('abort', () => this.#wake());
    for (;;) {
      const at = this.unread.findIndex(isMeant);
      if (at >= 0) return void this.unread.splice(at, 1);
      if (this.#isOver || signal.aborted)
        throw new Error(`"${what}" was not printed, but:\n${this.unread.join('\n')}\n${this.errors}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
