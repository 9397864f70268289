import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { onEachDatabase } from '../databases.ts';
import type { Body } from '../harness.ts';
import { type ServerProcess, settingsOf, startServer } from '../processes.ts';

const ROUNDS = 10;
const CLIENTS = 12;
const CHANGES_EACH = 5;

/** A user whose registration was answered, with how many changes of the profile were answered. */
interface Acknowledged {
  readonly id: string;
  readonly username: string;
  readonly token: string;
  changes: number;
}

onEachDatabase('kill -9', (database) => {
  test('what was answered with 200 is stored after the restart, ten times', async (t) => {
    const settings = settingsOf(await database.create(t));
    const everybody: Acknowledged[] = [];
    let server = await startServer(settings);
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const known = everybody.length;
        const writing = Array.from({ length: CLIENTS }, (_, n) =>
          keepWriting(server, `r${round}c${n}`, everybody),
        );
        const clients = Promise.all(writing);
        clients.catch(() => {}); // awaited below, after the kill
        const enough = known + randomInt(1, 60);
        await t.waitFor(() => assert.ok(everybody.length >= enough), { interval: 5, timeout: 60_000 });
        await server.kill();
        await clients;
        server = await startServer(settings);
        await verify(server, everybody, everybody.slice(known));
      }
      t.diagnostic(`${everybody.length} registrations and their changes of ${ROUNDS} rounds were there`);
    } finally {
      await server.kill();
    }
  });
});

/** Registers users one after the other, each with some changes, until the server is killed. */
async function keepWriting(server: ServerProcess, name: string, everybody: Acknowledged[]): Promise<void> {
  for (let n = 0; ; n++) {
    const username = `${name}n${n}`;
    const registered = await unlessGone(server.post('/api/register', { username, password: 'secret' }));
    if (!registered) return;
    const { id, token } = registered.data;
    const person: Acknowledged = { id, username, token, changes: 0 };
    everybody.push(person);
    while (person.changes < CHANGES_EACH) {
      const bio = String(person.changes + 1);
      if (!(await unlessGone(server.post('/api/user/profile', { bio }, token)))) return;
      person.changes++;
    }
  }
}

/** The body of an answer, which must be 200 if there is one. */
async function unlessGone(answer: ReturnType<ServerProcess['post']>): Promise<Body | undefined> {
  const { status, body } = await answer.catch((error: unknown) => {
    // What `fetch` throws, whatever broke the connection.
    assert.ok(error instanceof TypeError || error instanceof SyntaxError, String(error));
    return { status: 0, body: undefined };
  });
  if (status === 0) return undefined;
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

async function verify(
  server: ServerProcess,
  everybody: readonly Acknowledged[],
  recent: readonly Acknowledged[],
) {
  const token = recent.at(-1)?.token;
  const { status, body } = await server.get('/api/users', token);
  assert.equal(status, 200, 'the token and its session survived');
  const rows = new Map<string, Body>(body.data.map((row: Body) => [row.id, row]));
  for (const { id, username, changes } of everybody) {
    const row = rows.get(id);
    assert.equal(row?.username, username, `${username} was answered 200 and is lost`);
    // The change in flight may have been stored without an answer.
    assert.ok(
      Number(row.bio) === changes || Number(row.bio) === changes + 1,
      `${username} has ${row.bio} of ${changes} changes`,
    );
  }
  for (const { id, username } of recent.slice(-CLIENTS)) {
    const login = await server.post('/api/login', { username, password: 'secret' });
    assert.deepEqual([login.status, login.body.data?.id], [200, id]);
  }
}
