import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPasswordLink } from '../../src/accounts/password-links.ts';
import { getValue } from '../../src/db/installation-values.ts';
import { onEachDatabase } from '../databases.ts';
import { startService, type TestService } from '../harness.ts';
import { plainSubscription } from './surface.ts';

onEachDatabase('Bad input: secrets and the log', (database) => {
  test('no line of the log holds a token, password, hash, key or message, on success or failure', async (t) => {
    const service = await startService(t, database, { world: { resolve: async () => [] } });
    const secrets = ['first-password', 'second-password', 'mistaken-word', 'words for bob alone'];
    const subscription = plainSubscription();
    const register = await service.post('/api/register', { username: 'alice', password: 'first-password' });
    const bob = await service.join('bob');
    const { id, token } = register.body.data;
    secrets.push(token, bob.token, subscription.keys.p256dh);
    const link = await service.services.db.transaction((tx) => createPasswordLink(tx, bob.id, Date.now()));
    secrets.push(link?.token ?? '');

    async function callEverything(): Promise<void> {
      const calls: [path: string, body?: object][] = [
        ['/api/login', { username: 'alice', password: 'first-password' }],
        ['/api/login', { username: 'alice', password: 'mistaken-word' }],
        ['/api/login', { username: 'first-password', password: ['first-password'] }],
        ['/api/register', { username: 'carol', password: 'first-password' }],
        ['/api/user/change-password', { oldPassword: 'mistaken-word', newPassword: 'second-password' }],
        ['/api/user/change-password', { oldPassword: 'first-password', newPassword: 'second-password' }],
        ['/api/password-link', { token: link?.token, newPassword: ['second-password'] }],
        ['/api/password-link', { token: link?.token, newPassword: 'second-password' }],
        ['/api/user/profile', { bio: 'words for bob alone', phone: '13800138000' }],
        ['/api/messages', { to: bob.id, cid: '1', body: 'words for bob alone' }],
        ['/api/push/subscribe', { userId: id, subscription }],
        ['/api/push/subscribe', { userId: bob.id, subscription: JSON.stringify(subscription) }],
        ['/api/token', {}],
        [`/api/push/test-send?userId=${id}`],
        [`/api/users?q=first-password`],
        [`/api/user/profile/${token}`],
        [`/api/user/profile/%zz${token}`],
        [`/api/nothing?token=${token}`],
      ];
      for (const [path, body] of calls) {
        const answer = await service.call(body ? 'POST' : 'GET', path, { token, ...(body && { body }) });
        if (answer.body.data?.token) secrets.push(answer.body.data.token);
      }
      await service.call('POST', '/api/login', { raw: '{"username":"alice","password":"first-password"' });
    }

    await callEverything();
    await refuseWrites(service);
    await callEverything();
    assert.ok(
      service.logLines.some((line) => line.includes('"msg":"fault"')),
      'nothing went wrong',
    );
    const findTables = await loseTables(service);
    await callEverything();
    // The end of the service stores which sessions were used.
    await findTables();

    secrets.push(...(await storedKeys(service)));
    for (const line of service.logLines) {
      for (const secret of secrets) assert.ok(!line.includes(secret), line);
      assert.doesNotMatch(line, /\$2[aby]\$|\$bcrypt-sha256\$|"d":"|eyJ[\w-]+\./, line);
    }
  });
});

/** From now on every change of a user or message fails, on PostgreSQL with the whole row in the error's detail. */
async function refuseWrites({ services: { db } }: TestService): Promise<void> {
  await db.changeSchema(async (tx) => {
    for (const table of ['users', 'messages', 'push_subscriptions'])
      if (db.kind === 'postgres')
        await tx.script(`alter table ${table} add constraint refused check (1 = 2) not valid`);
      else
        for (const change of ['insert', 'update'])
          await tx.script(
            `create trigger refused_${table}_${change} before ${change} on ${table} begin select raise(abort, 'refused'); end`,
          );
  });
}

/** @returns gives the tables their names back */
async function loseTables({ services: { db } }: TestService): Promise<() => Promise<void>> {
  const rename = (from: string, to: string) =>
    db.changeSchema(async (tx) => {
      for (const table of ['users', 'sessions', 'push_subscriptions'])
        await tx.script(`alter table ${from}${table} rename to ${to}${table}`);
    });
  await rename('', 'lost_');
  return () => rename('lost_', '');
}

/** The private keys of tokens and of push. */
async function storedKeys({ services: { db } }: TestService): Promise<string[]> {
  const names = await db.all<{ name: string }>`select name from service`;
  const texts = await Promise.all(names.map(({ name }) => getValue(db, name)));
  const found = [...texts.join('\n').matchAll(/"(?:d|privateKey|private)":"([^"]+)"/g)].map(
    ([, key = '']) => key,
  );
  assert.ok(found.length >= 2, `the stored keys are elsewhere: ${names.map(({ name }) => name)}`);
  return found;
}
