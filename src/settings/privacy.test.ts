import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import { startService } from '../../test/harness.ts';
import { addUser } from '../../test/people.ts';
import { Events, type ServiceEvent } from '../events/hints.ts';
import { readEvents } from '../inbox/stored-events.ts';
import { readPrivacy, updatePrivacy } from './privacy.ts';

const OPEN = {
  messages: 'everyone',
  friend_requests: 'everyone',
  presence: 'everyone',
  read_receipts: true,
  listed: true,
};

onEachDatabase('privacy', (database) => {
  test('the answers that were sent change, alone and for this user, and the devices get all of them', async (t) => {
    const service = await startService(t, database);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const read = async (token: string) => (await service.get('/api/user/privacy', { token })).body.data;
    const write = (body: object) => service.post('/api/user/privacy', body, { token: alice.token });
    const events = async () =>
      (await readEvents(service.services.db, alice.id, 0, 100)).map(({ event, data }) => [event, data]);
    assert.deepEqual(await read(alice.token), OPEN);

    for (const refused of [
      { messages: null, friendRequests: null, presence: null, readReceipts: null, listed: null },
      ...['messages', 'friendRequests', 'presence', 'readReceipts', 'listed'].flatMap((name) =>
        [null, '', 'all', 'Everyone', 0, 1, 'true', ['everyone'], {}].map((value) => ({
          ...{ messages: 'friends', listed: false },
          [name]: value,
        })),
      ),
      { presence: 'requests' },
      { friendRequests: 'friends' },
    ]) {
      const { status, body } = await write(refused);
      assert.deepEqual([status, body.error], [400, 'invalid_field'], JSON.stringify(refused));
    }
    for (const nothing of [{}, { unknown: 1 }]) {
      const { status, body } = await write(nothing);
      assert.deepEqual([status, body], [200, { code: 200, data: OPEN }]);
    }
    assert.deepEqual([await read(alice.token), await events()], [OPEN, []]);

    const changed = { ...OPEN, messages: 'requests', read_receipts: false };
    const answer = await write({ messages: 'requests', readReceipts: false });
    assert.deepEqual(answer.body, { code: 200, data: changed });
    const all = {
      messages: 'friends',
      friend_requests: 'nobody',
      presence: 'friends',
      read_receipts: true,
      listed: false,
    };
    const { friend_requests: friendRequests, read_receipts: readReceipts, ...others } = all;
    assert.deepEqual((await write({ ...others, friendRequests, readReceipts })).body.data, all);
    assert.deepEqual(await events(), [
      ['privacy', changed],
      ['privacy', all],
    ]);
    assert.deepEqual([await read(alice.token), await read(bob.token)], [all, OPEN]);
    const { body } = await service.get('/api/sync', { token: alice.token });
    assert.deepEqual(body.data.privacy, all);
  });

  test('other nodes drop what they remember where presence or directory change, and only there', async (t) => {
    const db = await database.open(t);
    const alice = await addUser(db, 'alice');
    const events = new Events();
    const hints: (ServiceEvent['type'] | boolean | undefined)[] = [];
    events.subscribe((event) =>
      hints.push(event.type === 'user-changed' ? event.changesPresence : event.type),
    );
    const changes = async () => (await db.all`select id from changes where kind = 'user-changed'`).length;
    const update = (body: Parameters<typeof updatePrivacy>[2]) =>
      updatePrivacy({ db, events }, alice, body, 1_000);
    await update({ messages: 'friends', friendRequests: 'nobody', readReceipts: false });
    await update({ presence: 'everyone', listed: true });
    assert.deepEqual([hints.splice(0), await changes()], [['inbox', 'inbox'], 0]);
    await update({ presence: 'nobody' });
    await update({ listed: false });
    // The second concerns the directory alone.
    assert.deepEqual([hints, await changes()], [[true, 'inbox', false, 'inbox'], 2]);
  });

  test('concurrent changes of different answers are all stored, and a deleted account has none', async (t) => {
    const db = await database.open(t);
    const events = new Events();
    const alice = await addUser(db, 'alice');
    await Promise.all([
      updatePrivacy({ db, events }, alice, { presence: 'nobody' }, 1_000),
      updatePrivacy({ db, events }, alice, { listed: false }, 1_000),
    ]);
    assert.deepEqual(await readPrivacy(db, alice), { ...OPEN, presence: 'nobody', listed: false });
    const dora = await addUser(db, 'dora', { status: 'deleted' });
    const unknown = { word: 'user_not_found' };
    await assert.rejects(readPrivacy(db, dora), unknown);
    await assert.rejects(updatePrivacy({ db, events }, dora, { listed: false }, 1_000), unknown);
  });
});
