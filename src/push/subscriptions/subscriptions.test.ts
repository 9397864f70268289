import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase, type TestDatabase } from '../../../test/databases.ts';
import { addUser } from '../../../test/people.ts';
import { openSession } from '../../accounts/sessions.ts';
import { ServiceError } from '../../errors.ts';
import type { SubscriptionRow } from '../schemas.ts';
import {
  listSubscriptions,
  markSuccess,
  markUnusable,
  removeExpired,
  removeGone,
  removeSubscription,
  saveSubscription,
} from './subscriptions.ts';

const START = 1_760_000_000_000;
const DAY_MS = 86_400_000;

function refusedAs(kind: string, word: string) {
  return (error: unknown) => {
    assert(error instanceof ServiceError, String(error));
    assert.deepEqual([error.kind, error.word], [kind, word]);
    return true;
  };
}

onEachDatabase('push subscriptions', (database) => {
  async function start(t: Parameters<TestDatabase['open']>[0]) {
    const db = await database.open(t);
    const clock = { now: START };
    const user = async (name: string) => {
      const id = await addUser(db, name);
      return { id, session: (await openSession(db, id, '!', '', START)) ?? '' };
    };
    const rows = (userId: string) => listSubscriptions(db, userId);
    return {
      db,
      clock,
      rows,
      alice: await user('alice'),
      bob: await user('bob'),
      /** @param session null for a request without a token */
      save(
        userId: string,
        name: string,
        session: string | null,
        keys = 'BA',
        vapidPublic = 'key',
        language = 'en',
      ) {
        clock.now++;
        const subscription = { endpoint: `https://push.example/${name}`, keys: { p256dh: keys, auth: 'AA' } };
        return saveSubscription(db, {
          userId,
          subscription,
          sessionId: session,
          vapidPublic,
          device: 'Browser',
          language,
          now: clock.now,
        });
      },
      async names(userId: string): Promise<string[]> {
        return (await rows(userId)).map((row) => new URL(row.endpoint).pathname.slice(1)).sort();
      },
      async only(userId: string): Promise<SubscriptionRow> {
        const [row, ...more] = await rows(userId);
        assert(row && more.length === 0);
        return row;
      },
    };
  }

  test('a subscription stored with the user’s token is confirmed, one without is not, both are listed for the user', async (t) => {
    const { alice, bob, save, rows } = await start(t);
    await save(alice.id, 'own', alice.session);
    await save(alice.id, 'without token', null);
    const found = await rows(alice.id);
    assert.deepEqual(
      found.map((row) => [new URL(row.endpoint).pathname, row.session_id, row.user_agent, row.vapid_public]),
      [
        ['/without%20token', null, 'Browser', 'key'],
        ['/own', alice.session, 'Browser', 'key'],
      ],
    );
    assert.deepEqual(await rows(bob.id), []);
  });

  test('an unknown or deleted user gets no subscription', async (t) => {
    const { db, alice, save, rows } = await start(t);
    await assert.rejects(save('unknown', 'a', null), refusedAs('not-found', 'user_not_found'));
    await db.run`update users set status = 'deleted' where id = ${alice.id}`;
    await assert.rejects(save(alice.id, 'a', null), refusedAs('not-found', 'user_not_found'));
    assert.deepEqual(await rows(alice.id), []);
  });

  test('a session that ended meanwhile confirms nothing', async (t) => {
    const { db, alice, save, rows } = await start(t);
    await save(alice.id, 'unconfirmed', null);
    await db.run`delete from sessions where id = ${alice.session}`;
    const refused = refusedAs('unauthenticated', 'unauthenticated');
    await assert.rejects(save(alice.id, 'a', alice.session), refused);
    await assert.rejects(save(alice.id, 'unconfirmed', alice.session), refused);
    assert.deepEqual(
      (await rows(alice.id)).map((row) => row.session_id),
      [null],
    );
  });

  test('saving an unconfirmed subscription again keeps one row, with the newest keys', async (t) => {
    const { alice, save, only } = await start(t);
    await save(alice.id, 'a', null, 'BA', 'old key');
    const before = await only(alice.id);
    await save(alice.id, 'a', null, 'BB', 'new key');
    const after = await only(alice.id);
    assert.equal(after.id, before.id);
    assert.deepEqual([after.p256dh, after.session_id, after.vapid_public], ['BB', null, 'new key']);
    await save(alice.id, 'a', alice.session, 'BC');
    assert.deepEqual(
      [(await only(alice.id)).p256dh, (await only(alice.id)).session_id],
      ['BC', alice.session],
    );
  });

  test('the same subscription saved again keeps the VAPID key it was made with', async (t) => {
    const { alice, save, only } = await start(t);
    await save(alice.id, 'a', null, 'BA', 'old key');
    await save(alice.id, 'a', alice.session, 'BA', 'new key');
    assert.deepEqual(
      [(await only(alice.id)).vapid_public, (await only(alice.id)).session_id],
      ['old key', alice.session],
    );
  });

  test('a confirmed subscription is changed only with the user’s token', async (t) => {
    const { alice, save, only } = await start(t);
    await save(alice.id, 'a', alice.session);
    const before = await only(alice.id);
    const refused = refusedAs('forbidden', 'subscription_confirmed');
    await assert.rejects(save(alice.id, 'a', null, 'BB'), refused);
    assert.deepEqual(await only(alice.id), before);
    await save(alice.id, 'a', null, 'BA', 'key', 'zh');
    assert.deepEqual(
      await only(alice.id),
      before,
      'the same keys: nothing to change, and it stays confirmed',
    );
    await save(alice.id, 'a', alice.session, 'BB');
    assert.equal((await only(alice.id)).p256dh, 'BB');
  });

  test('a subscription takes the language of the request that saves it again, with the same keys or others', async (t) => {
    const { alice, save, only } = await start(t);
    const language = async () => (await only(alice.id)).language;
    await save(alice.id, 'a', alice.session, 'BA', 'key', 'zh');
    assert.equal(await language(), 'zh');
    await save(alice.id, 'a', alice.session, 'BA', 'key', 'en');
    assert.equal(await language(), 'en');
    await save(alice.id, 'a', alice.session, 'BB', 'key', 'zh');
    assert.equal(await language(), 'zh');
  });

  test('a subscription moves to the session of its user that saves it again', async (t) => {
    const { db, alice, save, only } = await start(t);
    await save(alice.id, 'a', alice.session);
    const second = (await openSession(db, alice.id, '!', '', START)) ?? '';
    await save(alice.id, 'a', second);
    assert.equal((await only(alice.id)).session_id, second);
    await db.run`delete from sessions where id = ${alice.session}`;
    assert.equal((await only(alice.id)).session_id, second);
  });

  test('at most 20 confirmed and 3 unconfirmed are stored: the oldest of the same kind is removed', async (t) => {
    const { alice, bob, save, names } = await start(t);
    await save(bob.id, 'bob', bob.session);
    await save(alice.id, 'u0', null);
    for (let i = 10; i < 30; i++) await save(alice.id, `c${i}`, alice.session);
    for (const name of ['u1', 'u2']) await save(alice.id, name, null);
    const confirmed = Array.from({ length: 20 }, (_, i) => `c${i + 10}`);
    assert.deepEqual(await names(alice.id), [...confirmed, 'u0', 'u1', 'u2']);

    for (const name of ['u3', 'u4', 'u5', 'u6']) await save(alice.id, name, null);
    assert.deepEqual(await names(alice.id), [...confirmed, 'u4', 'u5', 'u6']);

    await save(alice.id, 'c10', alice.session);
    await save(alice.id, 'c30', alice.session);
    assert.deepEqual(await names(alice.id), ['c10', ...confirmed.slice(2), 'c30', 'u4', 'u5', 'u6']);
    assert.deepEqual(await names(bob.id), ['bob']);
  });

  test('confirming an unconfirmed subscription removes the oldest confirmed one', async (t) => {
    const { alice, save, names } = await start(t);
    await save(alice.id, 'u', null);
    for (let i = 10; i < 30; i++) await save(alice.id, `c${i}`, alice.session);
    await save(alice.id, 'u', alice.session);
    assert.deepEqual(await names(alice.id), [...Array.from({ length: 19 }, (_, i) => `c${i + 11}`), 'u']);
  });

  test('the subscription just saved is never the one removed, even if the clock was set back', async (t) => {
    const { alice, clock, save, names } = await start(t);
    for (const name of ['u1', 'u2', 'u3']) await save(alice.id, name, null);
    clock.now -= 60_000;
    await save(alice.id, 'new', null);
    assert.deepEqual(await names(alice.id), ['new', 'u2', 'u3']);
  });

  test('concurrent saves stay within the limits', async (t) => {
    const { alice, save, rows } = await start(t);
    await Promise.all(
      Array.from({ length: 30 }, (_, i) => save(alice.id, `${i}`, i % 2 ? alice.session : null)),
    );
    const found = await rows(alice.id);
    assert.equal(found.filter((row) => row.session_id === null).length, 3);
    assert.equal(found.filter((row) => row.session_id !== null).length, 15);
  });

  test('unconfirmed rows of several users share an endpoint; confirming one removes the others', async (t) => {
    const { db, alice, bob, save, names } = await start(t);
    const carol = await addUser(db, 'carol');
    for (const id of [alice.id, bob.id, carol]) await save(id, 'shared', null, `B${id.slice(-1)}`);
    await save(bob.id, 'other', null);
    await save(alice.id, 'shared', alice.session, 'BA');
    assert.deepEqual(await names(alice.id), ['shared']);
    assert.deepEqual(await names(bob.id), ['other']);
    assert.deepEqual(await names(carol), []);
  });

  test('a shared browser belongs to the user who signed in last; without its keys no one is displaced', async (t) => {
    const { alice, bob, save, names } = await start(t);
    await save(alice.id, 'shared', alice.session, 'BA');
    await save(bob.id, 'shared', bob.session, 'BB');
    assert.deepEqual([await names(alice.id), await names(bob.id)], [['shared'], ['shared']]);
    await save(bob.id, 'shared', bob.session, 'BA');
    assert.deepEqual([await names(alice.id), await names(bob.id)], [[], ['shared']]);
    await save(alice.id, 'shared', null, 'BA');
    assert.deepEqual(await names(bob.id), ['shared'], 'without a token no other user’s row is removed');
  });

  test('a gone subscription is removed only if its keys are still those that were sent to', async (t) => {
    const { db, alice, save, only, rows } = await start(t);
    await save(alice.id, 'a', alice.session);
    const sent = await only(alice.id);
    await save(alice.id, 'a', alice.session, 'BB');
    await removeGone(db, sent);
    await markUnusable(db, sent, START);
    await markSuccess(db, sent, START);
    const after = await only(alice.id);
    assert.deepEqual([after.p256dh, after.unusable_since], ['BB', null]);
    assert.deepEqual(await db.all`select last_success_at from push_subscriptions`, [
      { last_success_at: null },
    ]);
    await removeGone(db, after);
    assert.deepEqual(await rows(alice.id), []);
  });

  test('an unusable subscription is marked once, removed after 7 days, and usable again when replaced', async (t) => {
    const { db, alice, save, only, rows } = await start(t);
    await save(alice.id, 'a', alice.session);
    const row = await only(alice.id);
    await markUnusable(db, row, START);
    await markUnusable(db, row, START + 5);
    assert.equal((await only(alice.id)).unusable_since, START);
    await removeExpired(db, START + 7 * DAY_MS);
    assert.equal((await rows(alice.id)).length, 1);
    await save(alice.id, 'a', alice.session, 'BB');
    assert.equal((await only(alice.id)).unusable_since, null);
    await removeExpired(db, START + 8 * DAY_MS);
    assert.equal((await rows(alice.id)).length, 1);
    await markUnusable(db, await only(alice.id), START);
    await removeExpired(db, START + 7 * DAY_MS + 1);
    assert.deepEqual(await rows(alice.id), []);
  });

  test('only its owner removes a subscription, by id or endpoint', async (t) => {
    const { db, alice, bob, save, only, names } = await start(t);
    for (const name of ['a', 'b', 'c']) await save(alice.id, name, alice.session);
    await save(bob.id, 'd', bob.session);
    const { id } = await only(bob.id);
    const none = refusedAs('not-found', 'subscription_not_found');
    await assert.rejects(removeSubscription(db, alice.id, { id }), none);
    await assert.rejects(removeSubscription(db, alice.id, { endpoint: 'https://push.example/d' }), none);
    const unnamed = refusedAs('invalid', 'invalid_field');
    for (const named of [{}, { id: '' }, { endpoint: '', id: '' }])
      await assert.rejects(removeSubscription(db, alice.id, named), unnamed);
    await removeSubscription(db, alice.id, { endpoint: 'https://push.example/b' });
    assert.deepEqual(await names(alice.id), ['a', 'c']);
    await removeSubscription(db, bob.id, { id });
    assert.deepEqual(await names(bob.id), []);
    await assert.rejects(removeSubscription(db, bob.id, { id }), none);
  });
});
