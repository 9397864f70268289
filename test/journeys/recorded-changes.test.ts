import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPasswordLink } from '../../src/accounts/password-links.ts';
import { endIdleSessions, endSurplusSessions } from '../../src/accounts/sessions.ts';
import { eventOf } from '../../src/events/changes.ts';
import { onEachDatabase } from '../databases.ts';
import { startService } from '../harness.ts';

const DAY_MS = 86_400_000;

onEachDatabase('changes that other processes must see', (database) => {
  test('are recorded by each act that makes one, and by no other', async (t) => {
    const service = await startService(t, database);
    const { db, events } = service.services;
    /** The events that `act` recorded. */
    const recordedBy = async (act: () => Promise<unknown>) => {
      await db.run`delete from changes`;
      await act();
      const rows = await db.all<{ kind: string; subject: string }>`select kind, subject from changes`;
      return rows.map((row) =>
        Object.values(eventOf({ id: '', ...row }))
          .flat()
          .join(' '),
      );
    };
    const ok = async (path: string, body: object, token: string) =>
      assert.equal((await service.post(path, body, { token })).status, 200, path);

    const alice = await service.join('alice');
    const sessionIds = async () => {
      const rows = await db.all<{ id: string }>`
        select id from sessions where user_id = ${alice.id} order by created_at, id`;
      return rows.map(({ id }) => id);
    };
    const logIn = async () => {
      const { username, password } = alice;
      return (await service.post('/api/login', { username, password })).body.data.token;
    };
    const acts: Record<string, () => Promise<unknown>> = {};
    assert.match((await recordedBy(() => service.join('bob'))).join(), /^user-changed [\w-]+$/);
    const bobId = (await db.get<{ id: string }>`select id from users where username = 'bob'`)?.id ?? '';
    const block = { blockedId: bobId };
    acts[`user-changed ${alice.id}`] = () => ok('/api/user/profile', { bio: 'new' }, alice.token);
    acts[`block-changed ${alice.id} ${bobId} true`] = () => ok('/api/user/block', block, alice.token);
    acts[`block-changed ${alice.id} ${bobId} false`] = () => ok('/api/user/unblock', block, alice.token);
    for (const [expected, act] of Object.entries(acts)) {
      assert.deepEqual(await recordedBy(act), [expected]);
      if (!expected.startsWith('user-changed')) assert.deepEqual(await recordedBy(act), [], 'a repeat');
    }
    const message = { to: bobId, cid: 'c1', body: 'hi' };
    assert.deepEqual(await recordedBy(() => ok('/api/messages', message, alice.token)), []);

    const phone = await logIn();
    const [own = '', other = ''] = await sessionIds();
    assert.deepEqual(await recordedBy(() => ok('/api/logout', {}, phone)), [`sessions-ended ${other}`]);
    await logIn();
    const [, ended = ''] = await sessionIds();
    const passwords = { oldPassword: alice.password, newPassword: 'another password' };
    assert.deepEqual(await recordedBy(() => ok('/api/user/change-password', passwords, alice.token)), [
      `sessions-ended ${ended}`,
    ]);
    const setByLink = async () => {
      const link = await db.transaction((tx) => createPasswordLink(tx, bobId, Date.now()));
      await ok('/api/password-link', { token: link?.token, newPassword: 'another password' }, '');
    };
    const [ofBob] = await db.all<{ id: string }>`select id from sessions where user_id = ${bobId}`;
    assert.deepEqual(await recordedBy(setByLink), [`sessions-ended ${ofBob?.id}`]);
    assert.deepEqual(await recordedBy(setByLink), []);
    const inboxes = { db, events };
    const addSessions = async (count: number, usedAt: number) => {
      for (let i = 0; i < count; i++)
        await db.run`
          insert into sessions (id, user_id, device, address, created_at, used_at)
          values (${`s${i}`}, ${alice.id}, '', '', 1, ${usedAt + i})`;
    };
    const now = Date.now();
    await addSessions(101, now - 2 * DAY_MS);
    assert.deepEqual(await recordedBy(() => endSurplusSessions(inboxes, alice.id, own, now)), [
      'sessions-ended s1 s0',
    ]);
    await db.run`delete from sessions where id <> ${own}`;
    await addSessions(1, now - 181 * DAY_MS);
    assert.deepEqual(await recordedBy(() => endIdleSessions(inboxes, now)), ['sessions-ended s0']);
    assert.deepEqual(await recordedBy(() => endIdleSessions(inboxes, now)), []);
  });
});
