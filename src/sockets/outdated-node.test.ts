import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import type { Person } from '../../test/harness.ts';
import { endSession } from '../accounts/sessions.ts';
import { Events } from '../events/hints.ts';
import { updateProfile } from '../profiles/profiles.ts';
import { blockUser } from '../relations/block-user.ts';
import { startSockets } from './test-client.ts';

onEachDatabase('a node that cannot read what other nodes changed', (database) => {
  test('believes nothing it remembers, and writes to no socket until it has read', async (t) => {
    const service = await startSockets(t, database);
    const { changes, clock, db, events } = service.services;
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const phone = await service.logIn(alice);
    const [laptops, phones] = [await service.enter(alice), await service.enter(phone)];
    const bobs = await service.enter(bob);
    const get = async (path: string, { token }: Pick<Person, 'token'> = alice) =>
      service.get(path, { token });
    const profile = async () => (await get(`/api/user/profile/${bob.id}`)).body.data.bio;
    const listed = async () => (await get('/api/users')).body.data.map(({ bio }: { bio: string }) => bio);
    const blocked = async () => (await get('/api/user/blocked')).body.data.length;
    assert.deepEqual([await profile(), await listed(), await blocked()], ['', ['', ''], 0]);

    const read = changes.read.bind(changes);
    let canRead = false;
    changes.read = async () => {
      if (!canRead) throw new Error('no database today');
      await read();
    };
    events.setCurrentWhile(() => canRead);
    // Another node: none of its hints arrives here.
    const other = { db, events: new Events() };
    const { data } = (await get('/api/sessions', phone)).body;
    const { id: sessionId } = data.find(({ current }: { current: number }) => current === 1);
    await endSession(other, alice.id, sessionId, clock.now());
    await updateProfile(other, bob.id, { bio: 'elsewhere' }, clock.now());
    await blockUser(other, alice.id, bob.id, clock.now());

    assert.equal((await get('/api/users', phone)).status, 401);
    assert.deepEqual([await profile(), await listed(), await blocked()], ['elsewhere', ['', 'elsewhere'], 1]);
    const sent = { to: alice.id, cid: 'c1', body: 'hi' };
    assert.equal((await service.post('/api/messages', sent, { token: bob.token })).status, 403);
    await service.post('/api/user/unblock', { blockedId: bob.id }, { token: alice.token });
    assert.equal((await service.post('/api/messages', sent, { token: bob.token })).status, 200);
    const answered = bobs.roundTrip();
    assert.deepEqual([laptops.unread, phones.unread], [[], []]);

    canRead = true;
    await answered;
    assert.deepEqual(await phones.ended, { code: 4409, reason: 'session_ended' });
    assert.deepEqual(
      phones.unread.filter(({ event }) => event === 'message'),
      [],
    );
    await laptops.first(({ event }) => event === 'message');
    assert.ok(
      service.logLines.some((line) => line.includes('what other processes changed could not be read')),
    );
  });
});
