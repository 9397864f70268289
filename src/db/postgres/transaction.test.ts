import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPostgres } from '../../../test/databases.ts';
import { openProxy } from '../../../test/postgres-proxy.ts';
import { createUrl, makeFailing, namesOf, write } from '../../../test/postgres-rows.ts';
import type { Queries } from '../db.ts';
import { openPostgres } from './postgres.ts';

/** Reads and locks two rows. */
function look(tx: Queries): Promise<unknown[]> {
  return Promise.all(
    ['a', 'b'].map((name) => tx.get`select name from service where name = ${name} for update`),
  );
}

onPostgres('a transaction of two flights', (database) => {
  async function openThroughProxy(t: Parameters<typeof createUrl>[0]) {
    const proxy = await openProxy(t, await createUrl(t, database));
    const db = await openPostgres({ url: proxy.url, poolSize: 1 });
    t.after(() => db[Symbol.asyncDispose]());
    return { proxy, db };
  }

  test('it takes two round trips, and its second reads what the first answered', async (t) => {
    const { proxy, db } = await openThroughProxy(t);
    await write(db, 'a');
    const moves = (to: string) =>
      db.twoFlights(look, (tx, answers) => {
        const written = tx.run`insert into service (name, value) values (${to}, '')`;
        tx.run`update service set value = value || 'x' where name = ${'a'}`;
        return { answers, written };
      });
    // The first run prepares the statements.
    await moves('first');
    proxy.packets.count = 0;
    const { answers, written } = await moves('second');
    assert.equal(proxy.packets.count, 2);
    assert.deepEqual(answers, [{ name: 'a' }, undefined]);
    assert.equal(await written, 1);
    assert.deepEqual(await namesOf(db), ['a', 'first', 'second']);
    assert.deepEqual(await db.get`select value from service where name = 'a'`, { value: 'xx' });
  });

  test('when `begin` fails nothing is written', async (t) => {
    const { proxy, db } = await openThroughProxy(t);
    proxy.intercept((bytes) =>
      Buffer.from(bytes.toString('latin1').replace('begin iso', 'begin xyz'), 'latin1'),
    );
    let written = false;
    const refused = db.twoFlights(look, (tx) => {
      written = true;
      write(tx, 'alone');
    });
    await assert.rejects(refused, { code: '42601' });
    assert.equal(written, false);
    proxy.intercept((bytes) => bytes);
    assert.deepEqual(await namesOf(db), []);
  });

  test('a failed statement of the second flight undoes the others, and its error is thrown', async (t) => {
    const { db } = await openThroughProxy(t);
    await write(db, 'taken');
    for (let n = 0; n < 2; n++) {
      const fails = db.twoFlights(look, (tx) => {
        write(tx, 'before');
        write(tx, 'taken');
        write(tx, 'after').catch(() => {});
      });
      await assert.rejects(fails, { code: '23505' });
    }
    await db.twoFlights(look, (tx) => write(tx, 'later'));
    assert.deepEqual(await namesOf(db), ['later', 'taken']);
  });

  test('a connection that is cut before the answer to the commit is an error, whatever was stored', async (t) => {
    const { proxy, db } = await openThroughProxy(t);
    await db.twoFlights(look, (tx) => write(tx, 'first'));
    proxy.intercept((bytes, to) => (to === 'client' && bytes.includes('COMMIT') ? 'cut' : bytes));
    let runs = 0;
    const cut = db.twoFlights(look, (tx) => {
      runs += 1;
      write(tx, 'stored');
    });
    await assert.rejects(cut, /the connection to the database is lost/);
    assert.equal(runs, 1);
    proxy.intercept((bytes) => bytes);
    assert.deepEqual(await namesOf(db), ['first', 'stored']);
  });

  test('a limit ends what waits for a lock, undoes everything, and holds for the first flight alone', async (t) => {
    const { proxy, db } = await openThroughProxy(t);
    await using other = await openPostgres({ url: proxy.url });
    await write(db, 'a');
    const run = (ms: number) =>
      db.twoFlights<unknown, Promise<{ limit: string } | undefined>>(
        look,
        (tx) => {
          write(tx, 'b');
          return tx.get`select current_setting('statement_timeout') as limit`;
        },
        { ms, late: async () => ({ limit: 'late' }) },
      );
    await other.transaction(async (tx) => {
      await tx.get`select name from service where name = 'a' for update`;
      let isOver = false;
      const answer = run(20).finally(() => {
        isOver = true;
      });
      while (!isOver) await tx.get`select 1 as one`;
      assert.deepEqual(await answer, { limit: 'late' });
    });
    assert.deepEqual(await namesOf(db), ['a']);
    assert.deepEqual(await run(60_000), { limit: '3s' });
    assert.deepEqual(await namesOf(db), ['a', 'b']);
  });

  test('a second flight without statements rolls back', async (t) => {
    const { proxy, db } = await openThroughProxy(t);
    const sent: string[] = [];
    proxy.intercept((bytes, to) => {
      if (to === 'server')
        sent.push(...(bytes.toString('latin1').match(/(?<=\W)(rollback|commit)(?=\0)/g) ?? []));
      return bytes;
    });
    assert.deepEqual(await db.twoFlights(look, (_, answers) => answers), [undefined, undefined]);
    assert.deepEqual(sent, ['rollback']);
  });

  for (const code of ['40001', '40P01', '23503']) {
    test(`what PostgreSQL ends with ${code} runs again, twice at most`, async (t) => {
      const db = await database.open(t);
      await makeFailing(db, code);
      let runs = 0;
      const run = (failures: number) =>
        db.twoFlights?.(look, (tx) => {
          runs += 1;
          write(tx, `run ${runs}`);
          tx.get`select fail(${failures})`;
        });
      await run(2);
      assert.deepEqual(await namesOf(db), ['run 3']);
      await db.run`select setval('tries', 1, false)`;
      await assert.rejects(Promise.resolve(run(3)), { code });
      assert.equal(runs, 6);
    });
  }

  test('a full disk makes the database unhealthy', async (t) => {
    const db = await database.open(t);
    await makeFailing(db, '53100');
    const full = db.twoFlights?.(look, (tx) => void tx.get`select fail(1)`);
    await assert.rejects(Promise.resolve(full), { code: '53100' });
    await assert.rejects(db.checkHealth(), /does not take writes/);
  });

  test('statements that come too late, refused parameters and errors of the caller undo everything', async (t) => {
    const { db } = await openThroughProxy(t);
    const late = db.twoFlights(
      async (tx) => {
        await tx.get`select name from service`;
        await tx.get`select value from service`;
      },
      (tx) => write(tx, 'late'),
    );
    await assert.rejects(late, /this flight of the transaction has been sent/);
    const elsewhere = db.twoFlights(
      () => new Promise(() => {}),
      (tx) => write(tx, 'elsewhere'),
    );
    await assert.rejects(elsewhere, /waited for something other than its tx/);
    const invalid = db.twoFlights(look, (tx) => {
      write(tx, 'valid');
      write(tx, 'U+0000: \0');
    });
    await assert.rejects(invalid, TypeError);
    const refusal = new Error('refused');
    const throws = (tx: Queries) => {
      write(tx, 'thrown');
      throw refusal;
    };
    await assert.rejects(db.twoFlights(look, throws), (error) => error === refusal);
    await assert.rejects(
      db.twoFlights(throws, () => {}),
      (error) => error === refusal,
    );
    assert.deepEqual(await namesOf(db), []);
  });

  test('when the second flight throws or sends nothing, a later statement of it runs nowhere', async (t) => {
    const { db } = await openThroughProxy(t);
    const kept: Queries[] = [];
    const sendsNothing = (tx: Queries) => void kept.push(tx);
    const throws = (tx: Queries) => {
      kept.push(tx);
      throw new Error('refused');
    };
    await db.twoFlights(look, sendsNothing);
    await assert.rejects(db.twoFlights(look, throws), /refused/);
    assert.equal(kept.length, 2);
    await db.transaction(async (tx) => {
      await write(tx, 'of another caller');
      for (const late of kept) await assert.rejects(write(late, 'late'), /this transaction has ended/);
    });
    assert.deepEqual(await namesOf(db), ['of another caller']);
  });

  test('when the second flight throws after a statement that fails, the failure of that is thrown', async (t) => {
    const { db } = await openThroughProxy(t);
    await write(db, 'taken');
    const throws = (tx: Queries) => {
      write(tx, 'taken');
      throw new Error('refused');
    };
    await assert.rejects(db.twoFlights(look, throws), { code: '23505' });
  });
});
