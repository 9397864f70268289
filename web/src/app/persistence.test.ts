import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryStorage } from 'doorman-client/testing';
import { OWN_IDS } from '../../../test/ids.ts';
import { Persistence } from './persistence.ts';

test('drafts alone stay where their user may sign in again, whatever the ids of both users are', async () => {
  const peers = [...OWN_IDS, 'a:draft:b', 'draft:a', 'x:list'];
  for (const userId of peers) {
    const storage = new MemoryStorage();
    const persistence = new Persistence(storage, {
      list: () => undefined,
      names: () => [],
      thread: (peer) => ({ epoch: 'e', peer, at: 1, messages: [], reachesStart: true }) as never,
      draft: (peer) => ({ peer, text: 'half a sentence' }) as never,
    });
    await persistence.open(userId);
    for (const peer of peers) {
      persistence.markThreadChanged(peer);
      persistence.markDraftChanged(peer);
    }
    persistence.markChanged('names');
    await persistence.flush();
    const drafts = peers.map((peer) => persistence.draftKey(peer)).sort();
    const stored = async () => (await storage.all('page:')).map(([key]) => key).sort();
    assert.equal((await stored()).length, 2 * peers.length + 1);
    await persistence.wipe({ exceptDrafts: true });
    assert.deepEqual(await stored(), drafts, userId);
  }
});
