import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import { startService } from '../../test/harness.ts';

onEachDatabase('settings routes', (database) => {
  test('pushPreview is full, sender or none, and changes nothing in the answer', async (t) => {
    const service = await startService(t, database);
    const { id, token } = await service.join('alice');
    for (const pushPreview of ['full', 'sender', 'none']) {
      const { status, body } = await service.post('/api/user/settings', { pushPreview }, { token });
      assert.equal(status, 200);
      assert.deepEqual(body.data, { id, username: 'alice', push_enabled: 1, dnd_enabled: 0 });
    }
    for (const pushPreview of ['', 'Full', 'all', null, 1, true, ['full']])
      assert.equal((await service.post('/api/user/settings', { pushPreview }, { token })).status, 400);
    const row = await service.services.db.get`select push_preview from users where id = ${id}`;
    assert.deepEqual({ ...(row ?? {}) }, { push_preview: 'none' });
  });

  test('of a body with one wrong switch nothing is stored', async (t) => {
    const service = await startService(t, database);
    const { token } = await service.join('alice');
    const { status } = await service.post(
      '/api/user/settings',
      { dndEnabled: true, pushEnabled: 'no' },
      { token },
    );
    assert.equal(status, 400);
    assert.equal((await service.post('/api/user/settings', {}, { token })).body.data.dnd_enabled, 0);
  });
});
