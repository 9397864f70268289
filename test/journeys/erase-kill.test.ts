import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../src/db/db.ts';
import { runCommand } from '../commands.ts';
import { onEachDatabase } from '../databases.ts';
import { eventually } from '../eventually.ts';
import { openOf } from '../imported.ts';
import { launchServer, settingsOf, startServer } from '../processes.ts';

const KILLS = 5;
const LEAVING = 16;
/** Of each pair. */
const MESSAGES = 450;

onEachDatabase('kill -9 while accounts are erased', (database) => {
  test('each account is whole or erased, and nothing is left at the end', async (t) => {
    const data = await database.create(t);
    const settings = settingsOf(data);
    let server = await startServer(settings);
    t.after(() => server.kill());
    const ids: string[] = [];
    for (let i = 0; i <= LEAVING; i++) {
      const body = { username: `person${i}`, password: 'password' };
      ids.push((await server.post('/api/register', body)).body.data.id);
    }
    await server.kill();
    await using db = await openOf(data);
    const staying = String(ids.at(-1));
    await converse(db);
    await db.run`update users set status = 'deleted', bio = 'a bio' where id <> ${staying}`;
    await db.run`insert into deletions (user_id, asked_at, due_at) select id, 1, 2 from users where id <> ${staying}`;

    for (let round = 0; round < KILLS; round++) {
      // The first account that is erased is followed by others; from the third kill on their conversations are removed.
      await using launched = launchServer(settings);
      const isErasing = launched.logged('account erased').catch(() => {});
      await Promise.race([isErasing, delay(randomInt(1_500, 2_500))]);
      launched.child.kill('SIGKILL');
      await launched.ended;
      const accounts = await db.all<
        Record<'username' | 'bio' | 'due' | 'entries' | 'closed', string | number>
      >`
        select username, bio, (select count(*) from deletions where user_id = users.id) as due,
          (select count(*) from account_log where user_id = users.id) as entries, closed
        from users join inbox_heads on inbox_heads.user_id = users.id where users.id <> ${staying}`;
      for (const { username, bio, due, entries, closed } of accounts)
        assert.deepEqual(
          [bio, due, entries, closed],
          username === '' ? ['', 0, 0, 1] : ['a bio', 1, 1, 0],
          String(username),
        );
      const erased = accounts.filter(({ username }) => username === '').length;
      const messages = await db.get<{ n: number }>`select count(*) as n from messages`;
      t.diagnostic(
        `kill ${round + 1}: ${erased} of ${LEAVING} accounts are erased, ${messages?.n} messages are left`,
      );
    }
    server = await startServer(settings);
    await eventually(async () => {
      const left = await db.get<{ n: number }>`
        select (select count(*) from deletions) + (select count(*) from erasures) as n`;
      return left?.n === 0;
    });
    const kept = await db.get<Record<string, number>>`
      select (select count(*) from messages) as messages, (select count(*) from conversations) as sides`;
    assert.deepEqual({ ...kept }, { messages: LEAVING * MESSAGES, sides: 2 * LEAVING }, 'those of who stays');
    const { output } = await runCommand(settings, ['check']);
    assert.doesNotMatch(output, /FAULT/);
  });
});

/** All pairs. */
async function converse(db: Db): Promise<void> {
  await db.run`
    insert into messages (low_id, high_id, n, sender_id, cid, body, at)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${MESSAGES})
    select low.id, high.id, n, low.id, high.username || ' ' || cast(n as text), 'a text', 1
    from users low join users high on low.id < high.id cross join numbers`;
  await db.run`
    insert into conversations (user_id, peer_id, n, last_at, last_hour, unread)
    select one.id, other.id, ${MESSAGES}, 1, 0, case when one.id < other.id then 0 else ${MESSAGES} end
    from users one join users other on one.id <> other.id`;
}
