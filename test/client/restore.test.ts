import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { runCommand } from '../commands.ts';
import { onSqlite } from '../databases.ts';
import { type ServerProcess, settingsOf, startServer } from '../processes.ts';
import { makeTemporaryFolder, removeFolder } from '../temporary-folders.ts';
import { type Device, join } from './device.ts';

/** Several megabytes, so that a backup takes many steps. */
const FILLER_ROWS = 12_000;
/** Together they write a hundred messages a second, and each stays below the limit of 30 in 10 s. */
const WRITERS = 40;
const EVERY_MS = 400;

interface Acknowledged {
  readonly from: string;
  readonly n: number;
  readonly cid: string;
  readonly at: number;
}

onSqlite('backup and restore', (database) => {
  test('under load: everything acknowledged until the printed moment is restored, and clients go on', async (t) => {
    const data = await database.create(t);
    assert.ok('dataDir' in data);
    const folder = await makeTemporaryFolder('backup');
    t.after(() => removeFolder(folder));
    const file = `${folder}/doorman.backup`;
    const settings = settingsOf(data);
    let server = await startServer(settings);
    try {
      const { url } = server;
      fill(data.dataDir);
      const alice = await join(t, url, 'alice');
      const bob = await join(t, url, 'bob');
      const load = await startLoad(server, bob);
      await load.acknowledged(50);
      const { code, output, errors } = await runCommand(settings, ['backup', file]);
      await load.acknowledged(load.messages.length + 50);
      await load.stop();
      assert.equal(code, 0, errors);
      const [, bytes, until] =
        /^backed up (\d+) bytes to .*, with everything until (\S+)\n$/.exec(output) ?? [];
      assert.deepEqual(await readdir(folder), ['doorman.backup']);
      const { size, mode } = await stat(file);
      assert.deepEqual([String(size), mode & 0o777], [bytes, 0o600]);

      await server.kill();
      const restored = settingsOf({ dataDir: `${folder}/data` }, { PORT: new URL(url).port });
      const restoring = await runCommand(restored, ['restore', file]);
      assert.equal(restoring.code, 0, restoring.errors);
      assert.match(restoring.errors, /^accounts that were erased since the backup are back: .*\n$/);
      assert.match(
        restoring.output,
        /^restored .*; every device will start from a new snapshot, in epoch [0-9a-f]{8}\n$/,
      );
      assert.deepEqual((await readdir(`${folder}/data`)).sort(), ['doorman.db', 'server.lock']);

      const snapshots = bob.all('snapshot').length;
      server = await startServer(restored);
      const { conversations } = await bob.first('snapshot', () => true, snapshots);
      const expected = load.messages.filter(({ at }) => at < Date.parse(until ?? ''));
      assert.ok(expected.length >= 50, String(expected.length));
      assert.ok(expected.length < load.messages.length, 'the load went on after the backup');
      const stored = await readStored(server, bob, new Set(load.messages.map(({ from }) => from)));
      for (const { from, n, cid } of expected) assert.deepEqual(stored.get(cid), { from, n });
      assert.equal(
        conversations.reduce((sum, { last }) => sum + last.n, 0),
        stored.size,
      );

      await alice.doorman.send(bob.id, 'after the restore');
      const { n } = await bob.first('message', ({ body }) => body === 'after the restore');
      assert.equal(n, 1);
    } finally {
      await server.kill();
    }
  });
});

/** Rows of a table that this test does not read. */
function fill(folder: string): void {
  const db = new DatabaseSync(`${folder}/doorman.db`, { timeout: 5_000 });
  db.exec(`
    with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${FILLER_ROWS})
    insert into push_log (id, user_id, at, subscription_id, kind, outcome)
    select 'filler ' || i, 'nobody', i, hex(randomblob(300)), 'message', 'accepted' from numbers`);
  db.close();
}

/** Users who write to Bob, each as often as a user may. */
async function startLoad({ post }: ServerProcess, bob: Device) {
  const messages: Acknowledged[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  let isStopped = false;
  const write = async ({ id, token }: { id: string; token: string }) => {
    for (; !isStopped; await delay(EVERY_MS)) {
      const cid = randomUUID();
      const reply = await post('/api/messages', { to: bob.id, cid, body: `this is ${cid}` }, token);
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      messages.push({ from: id, n: reply.body.data.n, cid, at: Date.now() });
      for (const { resolve } of waiting.filter(({ count }) => count <= messages.length)) resolve();
    }
  };
  const writers = await Promise.all(
    Array.from({ length: WRITERS }, async (_, i) => {
      const registered = await post('/api/register', { username: `writer${i}`, password: 'secret' });
      return registered.body.data;
    }),
  );
  const writing = Promise.all(writers.map(write));
  return {
    messages,
    acknowledged: (count: number) =>
      Promise.race([
        writing,
        new Promise<void>((resolve) => {
          waiting.push({ count, resolve });
        }),
      ]),
    stop: () => {
      isStopped = true;
      return writing;
    },
  };
}

/** The messages that Bob has of these senders, by their `cid`. */
async function readStored({ get }: ServerProcess, { session }: Device, senders: ReadonlySet<string>) {
  const stored = new Map<string, { from: string; n: number }>();
  for (const peer of senders) {
    const { body } = await get(`/api/messages?peer=${peer}&after=0&limit=100`, session.token);
    for (const { cid, from, n } of body.data.items) stored.set(cid, { from, n });
  }
  return stored;
}
