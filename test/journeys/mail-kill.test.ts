import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPostgres } from '../../src/db/postgres/postgres.ts';
import { openSqlite } from '../../src/db/sqlite/sqlite.ts';
import { onEachDatabase } from '../databases.ts';
import { eventually } from '../eventually.ts';
import { settingsOf, startServer } from '../processes.ts';
import { startSmtp } from '../smtp.ts';

const ADDRESS = 'alice@example.org';

onEachDatabase('kill -9 while a mail is sent', (database) => {
  test('the mail is sent once by the next server, and its link works', async (t) => {
    const stored = await database.create(t);
    const smtp = await startSmtp(t);
    const settings = settingsOf(stored, { SMTP_URL: smtp.url, PUBLIC_URL: 'http://localhost' });
    await using server = await startServer(settings);
    const alice = { username: 'alice', password: 'password-of-alice' };
    const { id } = (await server.post('/api/register', alice)).body.data;
    {
      await using db = await ('dataDir' in stored
        ? openSqlite({ folder: stored.dataDir })
        : openPostgres({ url: stored.databaseUrl }));
      await db.run`
        insert into emails (user_id, address, address_key, language, verified_at)
        values (${id}, ${ADDRESS}, ${ADDRESS}, 'en', ${Date.now()})`;
    }
    smtp.answerNext('no-greeting');
    assert.equal((await server.post('/api/password/forgot', { account: 'alice' })).status, 200);
    // The job is claimed, its link is stored, and nothing has been sent.
    await eventually(() => smtp.attempts === 1);
    await server.kill();

    await using next = await startServer(settings);
    await eventually(() => smtp.received(ADDRESS).length === 1);
    const token = /#(\S+)/.exec(smtp.received(ADDRESS)[0]?.text ?? '')?.[1];
    const newPassword = 'another-password';
    assert.equal((await next.post('/api/password-link', { token, newPassword })).status, 200);
    assert.equal((await next.post('/api/login', { ...alice, password: newPassword })).status, 200);
    next.child.kill('SIGTERM');
    assert.equal((await next.ended).code, 0);
    // The other one says that the password was changed.
    assert.equal(smtp.received().filter(({ text }) => text.includes('/set-password#')).length, 1);
  });
});
