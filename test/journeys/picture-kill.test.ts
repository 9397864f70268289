import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openPostgres } from '../../src/db/postgres/postgres.ts';
import { openSqlite } from '../../src/db/sqlite/sqlite.ts';
import { runCommand } from '../commands.ts';
import { type DatabaseSettings, onEachDatabase } from '../databases.ts';
import { eventually } from '../eventually.ts';
import { pngOf } from '../pictures-of-noise.ts';
import { type ServerProcess, settingsOf, startServer } from '../processes.ts';

const KILLS = 6;
const SENDERS = 4;

interface Sender {
  readonly id: string;
  readonly token: string;
}

/** What one sender was told of one picture. */
interface Fate {
  readonly sender: Sender;
  readonly id: string;
  sent?: number;
  isUnsent?: boolean;
}

onEachDatabase('kill -9 while pictures are uploaded, sent and removed', (database) => {
  test('no message is without the bytes of its picture, and nothing is left of what was unsent', async (t) => {
    const data = await database.create(t);
    const off = { RATE_LIMIT_MESSAGES: 'off', RATE_LIMIT_PICTURES: 'off', RATE_LIMIT_PICTURE_READS: 'off' };
    const settings = settingsOf(data, off);
    const bytes = pngOf(500);
    const fates: Fate[] = [];
    let server = await startServer(settings);
    t.after(() => server.kill());
    const bob = await join(server, 'bob');
    const senders = await Promise.all(Array.from({ length: SENDERS }, (_, i) => join(server, `sender${i}`)));
    let cid = 0;

    /** Until the server is killed: every second picture is sent, and every fourth is unsent. */
    async function work(sender: Sender): Promise<void> {
      for (let i = 0; ; i++) {
        const uploaded = await upload(server, sender, bytes);
        const fate: Fate = { sender, id: uploaded };
        fates.push(fate);
        if (i % 2) continue;
        const body = { to: bob.id, cid: `c${cid++}`, body: '', picture: uploaded };
        fate.sent = (await server.post('/api/messages', body, sender.token)).body.data.n;
        if (i % 4) continue;
        fate.isUnsent = false; // not answered yet
        const unsent = await server.post(
          '/api/messages/unsend',
          { peer: bob.id, n: fate.sent },
          sender.token,
        );
        assert.equal(unsent.status, 200);
        fate.isUnsent = true;
      }
    }

    for (let round = 0; round < KILLS; round++) {
      // The job that removes what was unsent in the round before runs at the start, and every minute.
      const working = senders.map((sender) => work(sender).catch(() => {}));
      await delay(randomInt(100, 700));
      await server.kill();
      await Promise.all(working);
      server = await startServer(settings);
    }
    const left = await eventuallyRemoved(data);
    t.diagnostic(`${fates.length} uploads, ${left} whole pictures are left`);

    const { output } = await runCommand(settings, ['check']);
    assert.doesNotMatch(output, /FAULT/);
    for (const { sender, id, sent, isUnsent } of fates) {
      const status = await read(server, sender, id, bytes.length);
      if (isUnsent === undefined) assert.equal(status, 200, 'uploaded, and perhaps sent');
      if (isUnsent) assert.equal(status, 404);
      if (sent !== undefined && isUnsent === undefined)
        assert.equal(await read(server, bob, id, bytes.length), 200);
    }
    for (const sender of senders) {
      const { items } = (await server.get(`/api/messages?peer=${bob.id}&limit=100`, sender.token)).body.data;
      for (const { picture, unsentAt } of items) {
        assert.equal(picture === undefined, unsentAt !== undefined);
        if (picture) assert.equal(await read(server, bob, picture.id, picture.size), 200);
      }
    }
  });
});

/** Waits until no piece of a picture that is to be removed now is left. @returns how many whole pictures there are */
async function eventuallyRemoved(data: DatabaseSettings): Promise<number> {
  await using db = await ('dataDir' in data
    ? openSqlite({ folder: data.dataDir })
    : openPostgres({ url: data.databaseUrl }));
  await eventually(async () => {
    const row = await db.get<{ n: number }>`
      select count(*) as n from pictures join picture_pieces on picture_pieces.id = pictures.id
      where remove_at <= ${Date.now()}`;
    return row?.n === 0;
  });
  return (await db.get<{ n: number }>`select count(*) as n from pictures where is_whole = 1`)?.n ?? 0;
}

async function upload(server: ServerProcess, { token }: Sender, body: Buffer): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'image/png' };
  const answer = await fetch(`${server.url}/api/pictures`, { method: 'POST', headers, body });
  const { code, data } = JSON.parse(await answer.text());
  assert.equal(code, 200);
  return data.id;
}

/** @returns the status; a picture must have all its bytes */
async function read(server: ServerProcess, { token }: Sender, id: string, size: number): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${server.url}/api/pictures/${id}`, { headers });
  const bytes = await answer.arrayBuffer();
  if (answer.status === 200) assert.equal(bytes.byteLength, size);
  return answer.status;
}

async function join(server: ServerProcess, username: string): Promise<Sender> {
  return (await server.post('/api/register', { username, password: 'password' })).body.data;
}
