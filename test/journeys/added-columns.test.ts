import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPostgres } from '../databases.ts';
import { startService } from '../harness.ts';
import { connectPostgres } from '../postgres-client.ts';

onPostgres('a newer version that adds columns', (database) => {
  test('disturbs no request of this version and ends no connection of it', async (t) => {
    const service = await startService(t, database);
    const { databaseUrl } = service.services.config;
    assert(databaseUrl);
    const alice = await service.join('alice');
    const bob = await service.join('bob');
    const { token } = alice;
    const use = async (n: number) => {
      const calls = [
        service.post('/api/login', { username: 'alice', password: alice.password }),
        service.get('/api/sessions', { token }),
        service.get('/api/users', { token }),
        service.get('/api/conversations', { token }),
        service.post('/api/user/profile', { bio: `bio ${n}` }, { token }),
        service.post('/api/messages', { to: bob.id, cid: `cid-${n}`, body: 'hello' }, { token }),
      ];
      for (const { status, text } of await Promise.all(calls)) assert.equal(status, 200, text);
    };
    await using sql = await connectPostgres(databaseUrl);
    const backends = () =>
      sql.rows(`select pid from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() order by pid`);
    for (let n = 0; n < 3; n++) await use(n);
    const before = await backends();
    const tables = await sql.rows<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    );
    for (const { name } of tables) await sql.rows(`alter table ${name} add column added bigint`);
    for (let n = 3; n < 6; n++) await use(n);
    const after = new Set((await backends()).map(({ pid }) => pid));
    for (const { pid } of before) assert(after.has(pid), `connection ${pid} was ended`);
  });
});
