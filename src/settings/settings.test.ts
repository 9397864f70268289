import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import { addUser } from '../../test/people.ts';
import { ServiceError } from '../errors.ts';
import { Events } from '../events/hints.ts';
import { updateSettings } from './settings.ts';

/** Without subscribers. */
const events = new Events();

onEachDatabase('settings', (database) => {
  test('only the settings that were sent change, and only those of this user', async (t) => {
    const db = await database.open(t);
    const [alice, bob] = [await addUser(db, 'alice'), await addUser(db, 'bob')];
    const stored = async (id: string) =>
      Object.values(
        (await db.get<object>`select push_enabled, dnd_enabled, push_preview from users where id = ${id}`) ??
          {},
      );
    assert.deepEqual(await stored(alice), [1, 0, 'sender']);
    await updateSettings({ db, events }, alice, { pushEnabled: false }, 1_000);
    assert.deepEqual(await stored(alice), [0, 0, 'sender']);
    await updateSettings({ db, events }, alice, { dndEnabled: true }, 1_000);
    assert.deepEqual(await stored(alice), [0, 1, 'sender']);
    await updateSettings({ db, events }, alice, { pushPreview: 'none' }, 1_000);
    assert.deepEqual(await stored(alice), [0, 1, 'none']);
    await updateSettings({ db, events }, alice, {}, 1_000);
    assert.deepEqual(await stored(alice), [0, 1, 'none']);
    const all = { pushEnabled: true, dndEnabled: false, pushPreview: 'full' } as const;
    const answer = { id: alice, username: 'alice', push_enabled: 1, dnd_enabled: 0, push_preview: 'full' };
    assert.deepEqual({ ...(await updateSettings({ db, events }, alice, all, 1_000)) }, answer);
    assert.deepEqual(await stored(alice), [1, 0, 'full']);
    assert.deepEqual(await stored(bob), [1, 0, 'sender']);
  });

  test('concurrent updates of different settings are all stored', async (t) => {
    const db = await database.open(t);
    const alice = await addUser(db, 'alice');
    await Promise.all([
      updateSettings({ db, events }, alice, { pushEnabled: false }, 1_000),
      updateSettings({ db, events }, alice, { dndEnabled: true }, 1_000),
    ]);
    const { push_enabled, dnd_enabled } = await updateSettings({ db, events }, alice, {}, 1_000);
    assert.deepEqual([push_enabled, dnd_enabled], [0, 1]);
  });

  test('a deleted account has no settings', async (t) => {
    const db = await database.open(t);
    const dora = await addUser(db, 'dora', { status: 'deleted' });
    const refused = (error: unknown) => error instanceof ServiceError && error.kind === 'not-found';
    await assert.rejects(updateSettings({ db, events }, dora, { dndEnabled: true }, 1_000), refused);
  });
});
