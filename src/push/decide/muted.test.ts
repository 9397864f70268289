import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onEachDatabase, type TestDatabase } from '../../../test/databases.ts';
import type { Person } from '../../../test/harness.ts';
import { startPushing } from '../../../test/pushing.ts';

const HOUR = 3_600_000;

onEachDatabase('a muted conversation', (database) => {
  /** Bob has a conversation with Alice. */
  async function start(t: TestContext, database: TestDatabase) {
    const pushing = await startPushing(t, database);
    const { service, pushService, alice, bob, now, write, pass, log } = pushing;
    const post = async (path: string, body: object) => {
      const answer = await service.post(path, body, { token: bob.token });
      assert.equal(answer.status, 200, answer.text);
    };
    await write(alice, bob);
    await pass(0);
    await pass(3_000);
    const before = (await log(bob)).length;
    return {
      ...pushing,
      post,
      mute: (ms = HOUR, peer: Person = alice) =>
        post('/api/conversations/settings', { peer: peer.id, mutedUntil: ms && now() + ms }),
      /** Of the entries since the start, the newest first. */
      entries: async () =>
        (await log(bob))
          .slice(0, -before)
          .map(({ outcome, reason }) => (reason === '' ? outcome : `${outcome} ${reason}`)),
      countOf: ({ endpoint }: { endpoint: string }) => pushService.attempts(endpoint).length,
    };
  }

  test('rings nowhere until the mute ends, and others ring; the log says why', async (t) => {
    const { service, alice, bob, subscribe, write, writeAndPush, pass, mute, entries, countOf, log } =
      await start(t, database);
    const carol = await service.join('carol');
    const [phone, unconfirmed] = [await subscribe(bob), await subscribe(bob, { unconfirmed: true })];
    await mute();
    await writeAndPush(alice, bob);
    assert.deepEqual([await entries(), countOf(phone), countOf(unconfirmed)], [['muted'], 0, 0]);
    assert.equal((await log(bob))[0]?.peer, alice.id);
    await writeAndPush(carol, bob);
    assert.equal(countOf(phone), 1);
    await write(alice, bob);
    await pass(HOUR - 1);
    assert.equal(countOf(phone), 1, 'decided while it was muted');
    await pass(60_000);
    assert.equal(countOf(phone), 1, 'the end of the mute rings for nothing');
    await writeAndPush(alice, bob);
    assert.equal(countOf(phone), 2);
    await mute();
    await mute(0);
    await pass(3_000);
    await writeAndPush(alice, bob);
    assert.equal(countOf(phone), 3);
  });

  test('does not ring once more for a job that waits while it is muted', async (t) => {
    const { pushService, alice, bob, subscribe, writeAndPush, pass, mute, entries, countOf } = await start(
      t,
      database,
    );
    const phone = await subscribe(bob);
    pushService.answerNext(phone.endpoint, { status: 429, headers: { 'retry-after': '60' } });
    await writeAndPush(alice, bob);
    assert.deepEqual(await entries(), ['waiting rate_limited']);
    await mute();
    await pass(60_000);
    assert.deepEqual([await entries(), countOf(phone)], [['muted'], 1]);
    await mute(0);
    await pass(HOUR);
    assert.equal(countOf(phone), 1);
  });

  test('is the cause after the settings of the user and quiet hours, and before no device', async (t) => {
    const { service, now, alice, bob, subscribe, write, writeAndPush, pass, post, mute, entries, countOf } =
      await start(t, database);
    await mute(24 * HOUR);
    await writeAndPush(alice, bob);
    assert.deepEqual(await entries(), ['muted'], 'there is no device');
    const phone = await subscribe(bob);
    await post('/api/user/settings', { dndEnabled: true });
    await pass(3_000);
    await writeAndPush(alice, bob);
    assert.deepEqual(await entries(), ['dnd', 'muted']);
    await post('/api/user/settings', { dndEnabled: false });

    await post('/api/user/quiet', { timeZone: 'UTC', windows: [], until: now() + HOUR });
    await pass(3_000);
    await writeAndPush(alice, bob);
    assert.deepEqual(await entries(), ['waiting quiet', 'dnd', 'muted']);
    await write(alice, bob);
    await pass(HOUR + 60_000);
    assert.deepEqual(await entries(), ['muted', 'dnd', 'muted'], 'the entry of the pair that was held');
    assert.deepEqual(
      await service.services.db.all`select count from push_pending where quiet_log is not null or count > 0`,
      [],
    );
    assert.equal(countOf(phone), 0);
  });

  test('takes none of the places of those that ring when quiet hours end', async (t) => {
    const { service, now, alice, bob, subscribe, write, pass, post, mute, entries, countOf } = await start(
      t,
      database,
    );
    const phone = await subscribe(bob);
    await mute(24 * HOUR);
    await post('/api/user/quiet', { timeZone: 'UTC', windows: [], until: now() + HOUR });
    for (const name of ['d', 'e', 'f']) await write(await service.join(name.repeat(3)), bob);
    await write(alice, bob);
    await pass(0);
    await pass(HOUR + 60_000);
    assert.deepEqual((await entries()).sort(), ['accepted', 'accepted', 'accepted', 'muted']);
    assert.equal(countOf(phone), 3);
  });

  test('is not in the badge, and keeps its own count', async (t) => {
    const { service, pushService, alice, bob, subscribe, write, writeAndPush, pass, mute } = await start(
      t,
      database,
    );
    const carol = await service.join('carol');
    const phone = await subscribe(bob);
    const badges = () =>
      pushService.received(phone.endpoint).map(({ text }) => JSON.parse(text ?? '').app_badge);
    await write(alice, bob);
    await mute();
    await writeAndPush(carol, bob);
    assert.deepEqual(badges(), [1]);
    const { body } = await service.get(`/api/conversations?peer=${alice.id}`, { token: bob.token });
    assert.equal(body.data[0].unread, 2);
    await pass(HOUR);
    await writeAndPush(carol, bob);
    assert.deepEqual(badges(), [1, 4]);
  });
});
