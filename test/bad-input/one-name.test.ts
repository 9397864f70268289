import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../databases.ts';
import { startService } from '../harness.ts';
import { assertEnvelope } from './envelope.ts';
import { countStored } from './stored.ts';

onEachDatabase('Bad input: many at once', (database) => {
  test('one of 50 simultaneous registrations of a name succeeds, and the others are refused as taken', async (t) => {
    const service = await startService(t, database);
    // Spellings with the same username key.
    const spellings = ['Sissi', 'sissi', 'SISSI', 'ｓｉｓｓｉ', 'sıssi'.replace('ı', 'i')];
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        service.post('/api/register', {
          username: spellings[n % spellings.length],
          password: `password ${n}`,
        }),
      ),
    );
    for (const answer of answers) assertEnvelope(answer, 'one of 50');
    const [first, ...others] = answers.filter(({ status }) => status === 200);
    assert.ok(first);
    assert.deepEqual(others, []);
    const refused = answers.filter(({ status }) => status !== 200);
    const texts = new Set(refused.map(({ text }) => text));
    assert.deepEqual([...texts], ['{"code":400,"error":"username_taken","msg":"用户名已存在"}']);
    const { users, sessions } = await countStored(service.services.db);
    assert.deepEqual({ users, sessions }, { users: 1, sessions: 1 });
    const winner = answers.indexOf(first);
    const login = await service.post('/api/login', { username: 'sissi', password: `password ${winner}` });
    assert.equal(login.body.data.id, first.body.data.id);
  });
});
