import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPostgres } from '../databases.ts';
import { startService } from '../harness.ts';
import { openProxy } from '../postgres-proxy.ts';
import { createUrl } from '../postgres-rows.ts';

/** Each calls as often as the others: more calls than the connections can serve within 2.5 s at this distance. */
const PEOPLE = 50;
const ROUNDS = 4;
const AWAY_MS = 100;

onPostgres('a service whose PostgreSQL is far away', (database) => {
  test('calls beyond what its connections carry are refused as overload, none is a fault', async (t) => {
    const proxy = await openProxy(t, await createUrl(t, database));
    const service = await startService(t, { ...database, create: async () => ({ databaseUrl: proxy.url }) });
    const people = await Promise.all(Array.from({ length: PEOPLE }, (_, n) => service.join(`user${n}`)));
    const callers = Array.from({ length: ROUNDS }, () => people).flat();
    const calls = {
      'profile writes': (token: string) => service.post('/api/user/profile', { bio: 'here' }, { token }),
      'reads of conversations': (token: string) => service.get('/api/conversations', { token }),
    };
    for (const call of Object.values(calls))
      for (const { status } of await Promise.all(people.map(({ token }) => call(token))))
        assert.equal(status, 200);
    proxy.slow(AWAY_MS);
    for (const [kind, call] of Object.entries(calls)) {
      const answers = await Promise.all(callers.map(({ token }) => call(token)));
      const refused = answers.filter(({ status }) => status !== 200);
      assert.ok(refused.length > 0 && refused.length < callers.length, `${refused.length} ${kind}`);
      for (const { status, body, headers } of refused)
        assert.deepEqual([status, body.error, headers['retry-after']], [429, 'overloaded', '1'], kind);
    }
  });
});
