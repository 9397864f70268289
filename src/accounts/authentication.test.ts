import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase, type TestDatabase } from '../../test/databases.ts';
import { addUser } from '../../test/people.ts';
import type { Db } from '../db/db.ts';
import { Events } from '../events/hints.ts';
import { openAuthentication } from './authentication.ts';
import { findSession } from './session-lookup.ts';
import { endSession, openSession } from './sessions.ts';
import { openTokens, rotateTokenKeys, type Tokens } from './tokens.ts';

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
      authentication: openAuthentication(
        db,
        tokens,
        () => clock.now,
        () => true,
      ),
      clock,
      db,
      tokens,
      userId,
      sessionId,
      token,
    };
  }

  test('a token of a live session identifies its user, first by the database, then from the cache', async (t) => {
    const { authentication, userId, sessionId, token } = await start(t);
    assert.equal(authentication.recall(token), undefined);
    const caller = await authentication.identify(token);
    assert.deepEqual([caller?.userId, caller?.sessionId], [userId, sessionId]);
    assert.equal(authentication.recall(token), caller);
    assert.equal(await authentication.identify('nonsense'), undefined);
  });

  test('a valid signature without a stored session identifies no one', async (t) => {
    const { authentication, db, tokens, userId, sessionId, token } = await start(t);
    const bob = await addUser(db, 'bob');
    assert.equal(await authentication.identify(await tokens.issue(userId, 'nothing')), undefined);
    assert.equal(await authentication.identify(await tokens.issue(bob, sessionId)), undefined);
    await endSession({ db, events: new Events() }, userId, sessionId, 1_000);
    assert.equal(await authentication.identify(token), undefined);
  });

  test('invalidating a session drops all its tokens, and no others', async (t) => {
    const { authentication, db, tokens, userId, sessionId, token, clock } = await start(t);
    clock.now += 1000;
    const second = await tokens.issue(userId, sessionId);
    const otherSession = (await openSession(db, userId, '!', '', START)) ?? '';
    const other = await tokens.issue(userId, otherSession);
    for (const one of [token, second, other]) assert.ok(await authentication.identify(one));
    await endSession({ db, events: new Events() }, userId, sessionId, 1_000);
    authentication.invalidate([sessionId]);
    assert.equal(await authentication.identify(token), undefined);
    assert.equal(await authentication.identify(second), undefined);
    assert.ok(authentication.recall(other));
    authentication.invalidateAll();
    assert.equal(authentication.recall(other), undefined);
    assert.ok(await authentication.identify(other));
  });

  /** An authentication whose next reading of the database is followed by `meanwhile`. */
  function interrupted(db: Db, tokens: Tokens) {
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
    const authentication = openAuthentication(
      slow,
      tokens,
      () => START,
      () => true,
    );
    return {
      authentication,
      interrupt: (act: () => Promise<void>) => {
        meanwhile = act;
      },
    };
  }

  test('a database result from before a session ended is not used after it', async (t) => {
    const { db, tokens, userId, sessionId, token } = await start(t);
    const { authentication, interrupt } = interrupted(db, tokens);
    interrupt(async () => {
      await endSession({ db, events: new Events() }, userId, sessionId, 1_000);
      authentication.invalidate([sessionId]);
    });
    assert.equal(await authentication.identify(token), undefined);
    assert.equal(authentication.recall(token), undefined);
  });

  test('a signature that was verified before its key was revoked is not used after it', async (t) => {
    const { db, tokens, token } = await start(t);
    const { authentication, interrupt } = interrupted(db, tokens);
    interrupt(async () => {
      await rotateTokenKeys(db, 60, START, { revokes: true });
      await tokens.reload();
      authentication.invalidateAll();
    });
    assert.equal(await authentication.identify(token), undefined);
    assert.equal(authentication.recall(token), undefined);
  });

  test('a cached token expires', async (t) => {
    const { authentication, clock, token } = await start(t, 60);
    assert.ok(await authentication.identify(token));
    clock.now += 59_999;
    assert.ok(authentication.recall(token));
    clock.now += 1;
    assert.equal(authentication.recall(token), undefined);
    assert.equal(await authentication.identify(token), undefined);
  });

  test('the use of a session is stored once an hour, for any call', async (t) => {
    const { authentication, clock, db, sessionId, token } = await start(t);
    const usedAt = async () => (await findSession(db, sessionId, clock.now))?.usedAt;
    await authentication.identify(token);
    clock.now += HOUR_MS;
    authentication.recall(token);
    await authentication.flushUse();
    assert.equal(await usedAt(), START);
    clock.now += 1;
    authentication.recall(token);
    assert.equal(await usedAt(), START);
    await authentication.flushUse();
    assert.equal(await usedAt(), START + HOUR_MS + 1);
  });

  test('the address of a use is found and stored only where the time is, and an unknown one changes nothing', async (t) => {
    const { authentication, clock, db, sessionId, token } = await start(t);
    let found = 0;
    const use = async (address: string) => {
      const findAddress = () => {
        found++;
        return address;
      };
      assert.ok(await authentication.identify(token, findAddress));
    };
    const stored = async () => {
      await authentication.flushUse();
      return (await db.get<{ address: string }>`select address from sessions where id = ${sessionId}`)
        ?.address;
    };
    await use('192.0.2.1');
    assert.deepEqual([await stored(), found], ['', 0]);
    clock.now += HOUR_MS + 1;
    await use('192.0.2.2');
    await use('192.0.2.3');
    // As for an open socket, at the same time.
    authentication.markUsed([sessionId]);
    assert.deepEqual([await stored(), found], ['192.0.2.2', 1]);
    clock.now += HOUR_MS + 1;
    await use('');
    assert.deepEqual([await stored(), found], ['192.0.2.2', 2]);
  });

  test('a session that is used stays, an unused one ends after 180 days', async (t) => {
    const { authentication, clock, db, tokens, userId, sessionId } = await start(t);
    for (let month = 0; month < 12; month++) {
      clock.now += 179 * 86_400_000;
      assert.ok(await authentication.identify(await tokens.issue(userId, sessionId)), `${month}`);
      await authentication.flushUse();
    }
    const last = await tokens.issue(userId, sessionId);
    clock.now += 180 * 86_400_000 - 1;
    assert.ok(await findSession(db, sessionId, clock.now));
    clock.now += 1;
    assert.equal(await authentication.identify(last), undefined);
  });
});
