import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Conversation } from 'doorman-client';
import { onSqlite } from '../databases.ts';
import { addConversations } from '../long-lists.ts';
import { addCrowd } from '../people.ts';
import { Device, join } from './device.ts';
import { serve } from './serving.ts';

onSqlite('Lists that are longer than a page', (database) => {
  test('a snapshot has the first page and the cursor of the next, true at one seq of the log', async (t) => {
    const service = await serve(t, database);
    const { db } = service.services;
    const alice = await new Device(t, service.url).signUp('alice');
    const peers = await addConversations(db, alice.id, await addCrowd(db, 250));
    await alice.connect();
    const [snapshot] = alice.all('snapshot');
    assert(snapshot);
    assert.deepEqual(peersOf(snapshot.conversations), peers.slice(0, 200));
    const after = snapshot.next.conversations ?? assert.fail('no cursor');
    const page = await alice.doorman.api.conversations({ after });
    assert.deepEqual(peersOf(page.conversations), peers.slice(200));
    assert.deepEqual([page.seq, page.next, page.people.length], [snapshot.seq, undefined, 50]);

    const bob = await join(t, service.url, 'bob');
    await bob.doorman.send(alice.id, 'later than the page');
    const { seq } = await alice.first('message');
    assert.equal(seq, page.seq + 1);
    const [one] = (await alice.doorman.api.conversations({ peer: bob.id })).conversations;
    assert.deepEqual([one?.last.n, one?.unread], [1, 1]);
    assert.equal((await alice.doorman.api.conversations({ limit: 1 })).seq >= seq, true);
  });

  test('each event of the log has its seq', async (t) => {
    const service = await serve(t, database);
    const alice = await join(t, service.url, 'alice');
    const bob = await join(t, service.url, 'bob');
    await bob.doorman.api.friend('request', alice.id);
    await alice.doorman.api.updateProfile({ nickname: 'Ally' });
    await alice.doorman.api.updateSettings({ dndEnabled: true });
    await alice.doorman.api.block(bob.id);
    await alice.doorman.api.unblock(bob.id);
    await alice.first('unblock');
    const numbers = (['friend', 'profile', 'settings', 'block', 'unblock'] as const).flatMap((event) =>
      alice.all(event).map(({ seq }) => seq),
    );
    assert.deepEqual(numbers, [1, 2, 3, 4, 5]);
  });
});

function peersOf(conversations: readonly Conversation[]): string[] {
  return conversations.map(({ peer }) => peer);
}
