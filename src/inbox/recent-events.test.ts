import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import { addCrowd, addUser } from '../../test/people.ts';
import { Events } from '../events/hints.ts';
import { RecentEvents } from './recent-events.ts';

const MINUTE_MS = 60_000;

function startRecent() {
  const clock = { now: 0 };
  const events = new Events();
  const recent = new RecentEvents(events, () => clock.now);
  const note = (userId: string, seq: number, at: number) => {
    const data = { peer: 'bob', n: 1, from: 'bob', cid: 'c', body: 'hi' };
    events.publish({ type: 'inbox', userId, event: { seq, at, event: 'message', data } });
  };
  return { clock, recent, note };
}

test('the last event of each log is remembered for a minute, and of 100,000 users at most', () => {
  const { clock, recent, note } = startRecent();
  for (let n = 0; n < 100_001; n++) note(`user ${n}`, 1, 1);
  assert.equal(recent.size, 100_000);
  clock.now = MINUTE_MS;
  note('alice', 1, 1);
  note('alice', 2, 1);
  assert.equal(recent.size, 1);
});

onEachDatabase('the events that were acknowledged last', (database) => {
  const at = 1_760_000_000_000;

  for (const [what, seq, storedAt, isMissing] of [
    ['is in its log', 8, at, false],
    ['was trimmed', 7, null, false],
    ['is beyond the end of its log', 9, null, true],
    ['has given its number to another event', 8, at + 1, true],
  ] as const)
    test(`one that ${what} is ${isMissing ? '' : 'not '}missing`, async (t) => {
      const db = await database.open(t);
      const { recent, note } = startRecent();
      // More than one query looks up.
      for (const id of await addCrowd(db, 1_500)) note(id, 1, at);
      await db.run`insert into inbox_heads (user_id, seq) select id, 1 from users`;
      const alice = await addUser(db, 'alice');
      await db.run`update inbox_heads set seq = 8 where user_id = ${alice}`;
      if (storedAt !== null)
        await db.run`
          insert into inbox (user_id, seq, at, event, data) values (${alice}, ${seq}, ${storedAt}, 'message', '{}')`;
      note(alice, seq, at);
      assert.equal(await recent.isOneMissing(db), isMissing);
      recent.forget();
      assert.equal(await recent.isOneMissing(db), false);
    });

  test('one of a user who is not there is missing, and a hint that comes late changes nothing', async (t) => {
    const db = await database.open(t);
    const { recent, note } = startRecent();
    const alice = await addUser(db, 'alice');
    await db.run`update inbox_heads set seq = 7 where user_id = ${alice}`;
    note(alice, 8, at);
    note(alice, 7, at);
    assert.equal(await recent.isOneMissing(db), true);
    recent.forget();
    note('bob', 1, at);
    assert.equal(await recent.isOneMissing(db), true);
  });
});
