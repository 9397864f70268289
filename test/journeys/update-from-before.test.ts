import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import { onNodes } from '../databases.ts';
import { eventually } from '../eventually.ts';
import type { Body } from '../harness.ts';
import { connectPostgres } from '../postgres-client.ts';
import { type ServerProcess, settingsOf, startCommand, startServer } from '../processes.ts';
import { TestSocket } from '../sockets.ts';
import { makeTemporaryFolder } from '../temporary-folders.ts';

const ROOT = join(import.meta.dirname, '../..');
const MIGRATION = '0030-changed-messages';

/** The commit before the one that added the migration; `undefined` without a history of git that has it. */
const before = findCommitBefore(`src/db/migrations/${MIGRATION}.ts`);

onNodes('an update from the version before messages could be changed', (database) => {
  test('what is changed on a new node is read on old ones, what old nodes count ends with the next mark, and their users get keys of names', {
    skip: before === undefined && 'the version before is not in the history of git',
    timeout: 240_000,
  }, async (t) => {
    const settings = await database.create(t);
    assert.ok('databaseUrl' in settings);
    const env = settingsOf(settings, { DRAIN_SECONDS: '1' });
    await takeTablesBack(settings.databaseUrl);
    const start = async (folder: string) => {
      const node = await startServer(env, [], [join(folder, 'src/main.ts')]);
      t.after(() => node.kill());
      return node;
    };
    const earlier = await extract(t, before ?? '');
    const [old, other] = [await start(earlier), await start(earlier)];
    const register = async (username: string) =>
      (await old.post('/api/register', { username, password: 'password' })).body.data;
    const [alice, bob]: { id: string; token: string }[] = [await register('alice'), await register('bob')];
    assert.ok(alice && bob);
    const post = async (node: ServerProcess, { token }: { token: string }, path: string, body: object) => {
      const answer = await node.post(path, body, token);
      assert.equal(answer.status, 200, JSON.stringify([path, body, answer.body]));
      return answer.body.data;
    };
    const send = (node: ServerProcess, cid: string, more: object = {}) =>
      post(node, alice, '/api/messages', { to: bob.id, cid, body: `text ${cid}`, ...more });
    for (const cid of ['1', '2', '3', '4']) await send(old, cid);

    const fresh = await start(ROOT);
    const found = async () =>
      (await fresh.get('/api/users?q=bo', bob.token)).body.data.map(({ id }: Body) => id);
    await eventually(async () => (await found()).includes(bob.id));
    await send(other, '5');
    await send(fresh, '6', { replyTo: 1 });
    const devices = [await connect(t, old, bob), await connect(t, fresh, bob)] as const;
    const peer = bob.id;
    await post(fresh, alice, '/api/messages/unsend', { peer, n: 3 });
    await post(fresh, alice, '/api/messages/edit', { peer, n: 2, body: 'changed' });
    await post(fresh, bob, '/api/messages/react', { peer: alice.id, n: 1, emoji: '👍' });
    const keep = { peer: alice.id, pinned: 1, markedUnread: 1 };
    const kept = await post(fresh, bob, '/api/conversations/settings', keep);
    const change = (n: number, by: string, revision: number) => ({ peer: alice.id, n, by, revision });
    for (const [device, text] of [
      [devices[0], {}],
      [devices[1], { body: 'changed' }],
    ] as const) {
      const seen = [];
      for (let i = 0; i < 4; i++) seen.push(await device.first(({ type }) => type === 'event'));
      assert.deepEqual(
        seen.map(({ seq, event, data }) => [seq, event, data]),
        [
          [7, 'unsent', change(3, alice.id, 1)],
          [8, 'edited', { ...change(2, alice.id, 2), ...text }],
          [9, 'reaction', { ...change(1, bob.id, 3), emoji: '👍' }],
          [10, 'conversation', kept],
        ],
      );
    }

    const resumed = await connect(t, other, bob, { epoch: devices[0].epoch, seq: 0 });
    const log = resumed.unread.filter(({ type }) => type === 'event');
    const textsOf = (messages: Body[]) => messages.map(({ body }) => body);
    const texts = ['text 1', 'changed', '', 'text 4', 'text 5', 'text 6'];
    assert.deepEqual(textsOf(log.slice(0, 6).map(({ data }) => data)), texts);
    assert.deepEqual(
      log.map(({ seq }) => seq),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    );
    for (const node of [old, fresh]) {
      const { body } = await node.get(`/api/messages?peer=${alice.id}`, bob.token);
      assert.deepEqual(textsOf(body.data.items), texts);
    }

    const entry = async (node: ServerProcess) =>
      (await node.get(`/api/conversations?peer=${alice.id}`, bob.token)).body.data[0];
    assert.equal((await entry(old)).unread, 5);
    await post(old, bob, '/api/messages/mark', { peer: alice.id, read: 1 });
    const { unread, markedUnread } = await entry(fresh);
    assert.deepEqual([unread, markedUnread], [5, 1], 'the old node counts the one that was unsent');
    assert.match(await check(env), /unread counts: FAULT/);
    await post(fresh, bob, '/api/messages/mark', { peer: alice.id, read: 2 });
    const after = await entry(fresh);
    assert.deepEqual([after.unread, after.markedUnread], [3, 0]);

    // What the sender repeats is known to the new node alone.
    for (const cid of ['2', '3']) assert.equal((await send(fresh, cid)).duplicate, true);
    await post(fresh, bob, '/api/conversations/clear', { peer: alice.id, n: 6 });
    await send(old, '7');
    const { last, clearedN, ...left } = await entry(fresh);
    assert.deepEqual([last.n, clearedN, left.unread, left.pinnedAt], [7, 6, 1, 0]);
    for (const node of [old, other]) {
      node.child.kill('SIGTERM');
      assert.deepEqual(await node.ended, { code: 0, signal: null, errors: '' });
    }
    assert.doesNotMatch(await check(env), /FAULT/);
  });
});

function findCommitBefore(path: string): string | undefined {
  try {
    const options = ['log', '--diff-filter=A', '--format=%P', '-n', '1', '--', path];
    return git(options).toString().trim() || undefined;
  } catch {
    return undefined;
  }
}

function git(words: string[]): Buffer {
  return execFileSync('git', words, { cwd: ROOT, maxBuffer: 2 ** 28, stdio: ['ignore', 'pipe', 'ignore'] });
}

/** The sources of a commit, with the packages of today. @returns the folder */
async function extract(t: TestContext, commit: string): Promise<string> {
  const folder = await makeTemporaryFolder('earlier');
  t.after(() => rm(folder, { recursive: true, force: true }));
  const archive = git(['archive', commit, 'src', 'package.json']);
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  return folder;
}

/** As the version before the migration had them. */
async function takeTablesBack(databaseUrl: string): Promise<void> {
  await using sql = await connectPostgres(databaseUrl);
  await sql.rows(`
    delete from migrations where name in ('${MIGRATION}', '0032-name-keys');
    drop table name_keys;
    alter table users drop column keyed_names;
    drop table conversation_settings;
    alter table conversations drop column revision;
    alter table messages drop column reply_to, drop column edited_at, drop column unsent_at, drop column original_hash,
      drop column low_reaction, drop column high_reaction`);
}

/** A device of the user. Its `hello` has these fields too. */
async function connect(
  t: TestContext,
  node: ServerProcess,
  { token }: { token: string },
  fields: object = {},
) {
  const socket = new TestSocket(new WebSocket(`${node.url.replace('http', 'ws')}/ws`));
  t.after(() => socket.ws.terminate());
  await once(socket.ws, 'open');
  const { data } = await socket.hello({ token, ...fields });
  return Object.assign(socket, { epoch: data.epoch as string });
}

/** What the command `check` prints. */
async function check(env: Record<string, string>): Promise<string> {
  await using command = startCommand(env, ['check']);
  return (await command.ended).output;
}
