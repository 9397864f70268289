import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase, type TestDatabase } from '../../test/databases.ts';
import { addUser } from '../../test/people.ts';
import type { Db } from '../db/db.ts';
import { Events } from '../events/hints.ts';
import { Authentication } from './authentication.ts';
import { findSession } from './session-lookup.ts';
import { endSession, openSession } from './sessions.ts';
import { openTokens } from './tokens.ts';

const START = 1_790_000_000_000;
const HOUR_MS = 3_600_000;

onEachDatabase('authentication', (database) => {
  async function start(t: Parameters<TestDatabase['open']>[0], ttlSeconds = 180 * 86_400) {
    const clock = { now: START };
    const db = await database.open(t);
    const tokens = await openTokens(db, ttlSeconds, () => clock.now);
    const userId = await addUser(db, 'alice');
    const sessionId = (await openSession(db, userId, '!', '', START)) ?? '';
    const token = await tokens.issue(userId, sessionId);
    return {
      authentication: new Authentication(db, tokens, () => clock.now),
      clock,
      db,
      tokens,
      userId,
      sessionId,
      token,
    };
  }

  test('a token of a live session is its user’s, first by the database, then from memory', async (t) => {
    const { authentication, userId, sessionId, token } = await start(t);
    assert.equal(authentication.recall(token), undefined);
    const caller = await authentication.identify(token);
    assert.deepEqual([caller?.userId, caller?.sessionId], [userId, sessionId]);
    assert.equal(authentication.recall(token), caller);
    assert.equal(await authentication.identify('nonsense'), undefined);
  });

  test('no row, no entry: a good signature without its session opens nothing', async (t) => {
    const { authentication, db, tokens, userId, sessionId, token } = await start(t);
    const bob = await addUser(db, 'bob');
    assert.equal(await authentication.identify(await tokens.issue(userId, 'nothing')), undefined);
    assert.equal(await authentication.identify(await tokens.issue(bob, sessionId)), undefined);
    await endSession({ db, events: new Events() }, userId, sessionId, 1_000);
    assert.equal(await authentication.identify(token), undefined);
  });

  test('all tokens of a session are forgotten with it, those of others are not', async (t) => {
    const { authentication, db, tokens, userId, sessionId, token, clock } = await start(t);
    clock.now += 1000;
    const second = await tokens.issue(userId, sessionId);
    const otherSession = (await openSession(db, userId, '!', '', START)) ?? '';
    const other = await tokens.issue(userId, otherSession);
    for (const one of [token, second, other]) assert.ok(await authentication.identify(one));
    await endSession({ db, events: new Events() }, userId, sessionId, 1_000);
    authentication.forget([sessionId]);
    assert.equal(await authentication.identify(token), undefined);
    assert.equal(await authentication.identify(second), undefined);
    assert.ok(authentication.recall(other));
    authentication.forgetAll();
    assert.equal(authentication.recall(other), undefined);
    assert.ok(await authentication.identify(other));
  });

  test('an answer of the database from before a session ended is not believed after', async (t) => {
    const { db, tokens, userId, sessionId, token } = await start(t);
    let meanwhile: (() => Promise<void>) | undefined;
    const slow: Db = Object.create(db, {
      get: {
        async value(...parts: Parameters<Db['get']>) {
          const row = await db.get(...parts);
          const act = meanwhile;
          meanwhile = undefined;
          await act?.();
          return row;
        },
      },
    });
    const authentication = new Authentication(slow, tokens, () => START);
    meanwhile = async () => {
      await endSession({ db, events: new Events() }, userId, sessionId, 1_000);
      authentication.forget([sessionId]);
    };
    assert.equal(await authentication.identify(token), undefined);
    assert.equal(authentication.recall(token), undefined);
  });

  test('a remembered token ends with its time', async (t) => {
    const { authentication, clock, token } = await start(t, 60);
    assert.ok(await authentication.identify(token));
    clock.now += 59_999;
    assert.ok(authentication.recall(token));
    clock.now += 1;
    assert.equal(authentication.recall(token), undefined);
    assert.equal(await authentication.identify(token), undefined);
  });

  test('the use of a session is written down once an hour, whatever is called', async (t) => {
    const { authentication, clock, db, sessionId, token } = await start(t);
    const usedAt = async () => (await findSession(db, sessionId, clock.now))?.usedAt;
    await authentication.identify(token);
    clock.now += HOUR_MS;
    authentication.recall(token);
    await authentication.noteUse();
    assert.equal(await usedAt(), START);
    clock.now += 1;
    authentication.recall(token);
    assert.equal(await usedAt(), START);
    await authentication.noteUse();
    assert.equal(await usedAt(), START + HOUR_MS + 1);
  });

  test('a session that is used now and then lives on, one that is not ends after 180 days', async (t) => {
    const { authentication, clock, db, tokens, userId, sessionId } = await start(t);
    for (let month = 0; month < 12; month++) {
      clock.now += 179 * 86_400_000;
      assert.ok(await authentication.identify(await tokens.issue(userId, sessionId)), `${month}`);
      await authentication.noteUse();
    }
    const last = await tokens.issue(userId, sessionId);
    clock.now += 180 * 86_400_000 - 1;
    assert.ok(await findSession(db, sessionId, clock.now));
    clock.now += 1;
    assert.equal(await authentication.identify(last), undefined);
  });
});
