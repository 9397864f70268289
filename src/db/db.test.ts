import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onEachDatabase, type TestDatabase } from '../../test/databases.ts';
import type { Part, Queries, SchemaDb, Tx } from './db.ts';
import { asTable, inList, nowMs, skipLocked } from './fragments.ts';

interface Thing {
  id: string;
  n: number | null;
  bytes: Uint8Array | null;
}

async function openWithThings(t: TestContext, database: TestDatabase): Promise<SchemaDb> {
  const db = await database.open(t);
  const [text, bytes, end] =
    database.kind === 'sqlite' ? ['text', 'blob', 'strict'] : ['text collate "C"', 'bytea', ''];
  const bigint = database.kind === 'sqlite' ? 'integer' : 'bigint';
  await db.changeSchema((tx) =>
    tx.script(`create table things (id ${text} primary key not null, n ${bigint}, bytes ${bytes}) ${end}`),
  );
  return db;
}

function idsOf(db: Pick<SchemaDb, 'all'>): Promise<string[]> {
  return db.all<{ id: string }>`select id from things order by id`.then((rows) => rows.map((row) => row.id));
}

onEachDatabase('values', (database) => {
  test('values are read as they were written', async (t) => {
    const db = await openWithThings(t, database);
    const things: Thing[] = [
      { id: '', n: 0, bytes: null },
      {
        id: '👩‍👩‍👧 \' " ? $1 \\ \n \u{10ffff}',
        n: 2 ** 53 - 1,
        bytes: new Uint8Array([0, 1, 127, 128, 255]),
      },
      { id: 'negative', n: -(2 ** 53 - 1), bytes: new Uint8Array() },
      { id: 'nothing', n: null, bytes: null },
    ];
    for (const { id, n, bytes } of things) {
      const written = await db.run`insert into things (id, n, bytes) values (${id}, ${n}, ${bytes})`;
      assert.equal(written, 1);
      assert.deepEqual(await db.get<Thing>`select id, n, bytes from things where id = ${id}`, {
        id,
        n,
        bytes,
      });
    }
  });

  test('counts, sums and booleans are numbers', async (t) => {
    const db = await openWithThings(t, database);
    assert.deepEqual(await db.get`select count(*) as n, sum(n) as sum from things`, { n: 0, sum: null });
    await db.run`insert into things (id, n) values ('a', ${2 ** 40}), ('b', 1)`;
    assert.deepEqual(await db.get`select count(*) as n, sum(n) as sum, max(n) as max from things`, {
      n: 2,
      sum: 2 ** 40 + 1,
      max: 2 ** 40,
    });
    assert.deepEqual(
      await db.get`select exists (select 1 from things where id = 'a') as yes, n > ${5} as no from things where id = 'b'`,
      { yes: 1, no: 0 },
    );
  });

  test('a whole number in a text column has no decimal point', async (t) => {
    const db = await openWithThings(t, database);
    await db.run`insert into things (id) values (${5})`;
    assert.deepEqual(await idsOf(db), ['5']);
  });

  test('a number with a fraction is refused in a column of whole numbers', async (t) => {
    const db = await openWithThings(t, database);
    await assert.rejects(db.run`insert into things (id, n) values ('a', ${1.5})`);
    assert.deepEqual(await idsOf(db), []);
  });

  test('text sorts by bytes', async (t) => {
    const db = await openWithThings(t, database);
    for (const id of ['b', 'a', 'B', 'ä', 'A', '_', '1', '中', '😀']) {
      await db.run`insert into things (id) values (${id})`;
    }
    assert.deepEqual(await idsOf(db), ['1', 'A', 'B', '_', 'a', 'b', 'ä', '中', '😀']);
  });

  test('a list is one parameter, with any content', async (t) => {
    const db = await openWithThings(t, database);
    for (const id of ['a', 'b', '"', '😀']) await db.run`insert into things (id) values (${id})`;
    const find = (ids: string[]) => db.all`select id from things where id in ${inList(ids)} order by id`;
    assert.deepEqual(await find(['😀', '"', 'a', 'a', 'none']), [{ id: '"' }, { id: 'a' }, { id: '😀' }]);
    assert.deepEqual(await find([]), []);
    const many = Array.from({ length: 5_000 }, (_, n) => `x${n}`);
    assert.deepEqual(await find([...many, 'b']), [{ id: 'b' }]);
  });

  test('a table has any content, and joins with the columns of a table', async (t) => {
    const db = await openWithThings(t, database);
    await db.run`insert into things (id, n) values ('a', 1), ('b', 2), ('😀"', 3)`;
    const columns = { id: 'text', plus: 'bigint' } as const;
    const add = (rows: { id: string; plus: number | null }[]) =>
      db.all`select things.id, n + plus as sum from ${asTable(columns, rows)} as wanted
        join things on things.id = wanted.id order by things.id`;
    assert.deepEqual(
      await add([
        { id: 'a', plus: null },
        { id: 'none', plus: 1 },
        { id: '😀"', plus: 2 ** 50 },
      ]),
      [
        { id: 'a', sum: null },
        { id: '😀"', sum: 2 ** 50 + 3 },
      ],
    );
    assert.deepEqual(await add([]), []);
  });

  test('the rows of a table are inserted together, or none of them', async (t) => {
    const db = await openWithThings(t, database);
    const columns = { id: 'text', n: 'bigint' } as const;
    const add = (...rows: { id: string; n: number | null }[]) =>
      db.run`insert into things ${asTable(columns, rows)} on conflict (id) do update set n = things.n + excluded.n`;
    assert.equal(await add({ id: '"', n: 1 }, { id: 'b', n: null }), 2);
    assert.equal(await add({ id: '"', n: 2 ** 50 }, { id: 'c', n: 5 }), 2);
    assert.equal(await add(), 0);
    const overflow = Number.MAX_SAFE_INTEGER;
    for (const bad of [
      { id: '\udc00', n: 1 },
      { id: null as unknown as string, n: overflow },
    ])
      await assert.rejects(add({ id: 'new', n: 1 }, bad));
    assert.deepEqual(await db.all`select id, n from things order by id`, [
      { id: '"', n: 2 ** 50 + 1 },
      { id: 'b', n: null },
      { id: 'c', n: 5 },
    ]);
  });

  test('an invalid parameter is refused and nothing is written', async (t) => {
    const db = await openWithThings(t, database);
    for (const bad of [undefined, new Date(), true, Number.NaN, {}, 'a\u0000', '\udc00']) {
      // Types forbid these parts.
      const part = bad as Part;
      await assert.rejects(db.run`insert into things (id) values (${part})`, TypeError);
      await assert.rejects(db.get`select id from things where id = ${part}`, TypeError);
      await assert.rejects(
        db.transaction((tx) => tx.run`insert into things (id) values (${part})`),
        TypeError,
      );
    }
    assert.deepEqual(await idsOf(db), []);
  });

  test('statements return what they wrote', async (t) => {
    const db = await openWithThings(t, database);
    assert.equal(await db.run`insert into things (id, n) values ('a', 1), ('b', 2)`, 2);
    assert.equal(await db.run`update things set n = n + 1 where id = ${'none'}`, 0);
    assert.deepEqual(await db.get`update things set n = n + 1 where id = ${'a'} returning n`, { n: 2 });
    assert.deepEqual(
      await db.all`insert into things (id) values (${'a'}) on conflict do nothing returning id`,
      [],
    );
    assert.equal(
      await db.get`insert into things (id) values (${'a'}) on conflict do nothing returning id`,
      undefined,
    );
    const deleted = await db.all<Thing>`delete from things returning id, n`;
    assert.deepEqual(
      deleted.sort((a, b) => (a.id < b.id ? -1 : 1)),
      [
        { id: 'a', n: 2 },
        { id: 'b', n: 2 },
      ],
    );
    assert.deepEqual(await idsOf(db), []);
  });

  test('a claim skips rows that other transactions have locked', async (t) => {
    const db = await openWithThings(t, database);
    await db.run`insert into things (id, n) values ('a', 0), ('b', 0)`;
    const claim = () =>
      db.transaction(
        (tx) =>
          tx.get<Thing>`update things set n = 1
            where id = (select id from things where n = 0 order by id limit ${1} ${skipLocked}) returning id`,
      );
    const claimed = await Promise.all([claim(), claim()]);
    assert.deepEqual(claimed.map((row) => row?.id).sort(), ['a', 'b']);
  });

  test('the time of the database is that of the statement, in epoch milliseconds', async (t) => {
    const db = await openWithThings(t, database);
    const read = async (queries: Queries) =>
      (await queries.get<{ now: number }>`select ${nowMs} as now`)?.now ?? 0;
    const before = Date.now();
    const times = await db.transaction(async (tx) => {
      const began = await read(tx);
      // Only a clock that goes on within a transaction ends this.
      for (;;) {
        const now = await read(tx);
        if (now > began) return [began, now];
      }
    });
    times.push(await read(db), Date.now());
    assert.deepEqual(
      times.toSorted((a, b) => a - b),
      times,
    );
    // Tests run on the machine of their databases.
    assert.ok(before - 1 <= (times[0] ?? 0) && times.every(Number.isInteger), String([before, ...times]));
  });
});

onEachDatabase('transactions', (database) => {
  test('the writes of a body are atomic, and the body sees them before the commit', async (t) => {
    const db = await openWithThings(t, database);
    const answer = await db.transaction(async (tx) => {
      await tx.run`insert into things (id, n) values ('a', 1)`;
      const [, seen] = await Promise.all([tx.run`update things set n = 2`, tx.all`select n from things`]);
      return seen;
    });
    assert.deepEqual(answer, [{ n: 2 }]);
    assert.deepEqual(await db.all`select id, n from things`, [{ id: 'a', n: 2 }]);
  });

  test('a body that throws is rolled back, and its error reaches the caller', async (t) => {
    const db = await openWithThings(t, database);
    const refusal = new Error('refused');
    const fails = db.transaction(async (tx) => {
      await tx.run`insert into things (id) values ('a')`;
      throw refusal;
    });
    await assert.rejects(fails, (error) => error === refusal);
    const failsAtOnce = db.transaction(() => {
      throw refusal;
    });
    await assert.rejects(failsAtOnce, (error) => error === refusal);
    assert.deepEqual(await idsOf(db), []);
  });

  test('a failed statement ends its transaction, also when the body catches the error or does not await it', async (t) => {
    const db = await openWithThings(t, database);
    await db.run`insert into things (id) values ('taken')`;
    const repeat = (tx: Tx) => tx.run`insert into things (id) values ('taken')`;
    const catches = db.transaction(async (tx) => {
      await tx.run`insert into things (id) values ('a')`;
      await repeat(tx).catch(() => {});
    });
    await assert.rejects(catches, /unique/i);
    const leaves = db.transaction(async (tx) => {
      await tx.run`insert into things (id) values ('b')`;
      repeat(tx).catch(() => {});
    });
    await assert.rejects(leaves, /unique/i);
    const goesOn = db.transaction(async (tx) => {
      await repeat(tx).catch(() => {});
      await tx.run`insert into things (id) values ('c')`;
    });
    await assert.rejects(goesOn, /unique/i);
    assert.deepEqual(await idsOf(db), ['taken']);
  });

  test('a transaction never includes statements from outside, also when it fails after they were answered', async (t) => {
    const db = await openWithThings(t, database);
    const others: Promise<unknown>[] = [];
    const seenOutside: string[][] = [];
    const fails = db.transaction(async (tx) => {
      await tx.run`insert into things (id) values ('inside')`;
      for (let n = 0; n < 20; n++) await tx.get`select count(*) as n from things`;
      throw new Error('refused');
    });
    for (let n = 0; n < 20; n++) {
      others.push(db.run`insert into things (id) values (${`bare${n}`})`);
      others.push(db.transaction((tx) => tx.run`insert into things (id) values (${`whole${n}`})`));
      others.push(idsOf(db).then((ids) => seenOutside.push(ids)));
    }
    await assert.rejects(fails, /refused/);
    await Promise.all(others);
    const ids = await idsOf(db);
    assert.equal(ids.length, 40);
    assert.ok(!ids.includes('inside'));
    assert.equal(seenOutside.length, 20);
    assert.ok(seenOutside.every((seen) => !seen.includes('inside')));
  });

  test('uncommitted writes are not visible outside', async (t) => {
    const db = await openWithThings(t, database);
    let outside: string[] | undefined;
    await db.transaction(async (tx) => {
      await tx.run`insert into things (id) values ('a')`;
      idsOf(db).then((ids) => {
        outside = ids;
      });
      while (!outside) await tx.get`select count(*) as n from things`;
    });
    assert.deepEqual(outside, []);
    assert.deepEqual(await idsOf(db), ['a']);
  });

  test('using a tx after its end throws', async (t) => {
    const db = await openWithThings(t, database);
    let ended: Tx | undefined;
    await db.transaction(async (tx) => {
      ended = tx;
      await tx.get`select count(*) as n from things`;
    });
    assert.ok(ended);
    await assert.rejects(ended.run`insert into things (id) values ('late')`, /this transaction has ended/);
    await assert.rejects(ended.all`select id from things`, /this transaction has ended/);
    await assert.rejects(ended.get`select id from things`, /this transaction has ended/);
    assert.deepEqual(await idsOf(db), []);
  });

  test('a body that awaits something else fails, and only that transaction', async (t) => {
    const db = await openWithThings(t, database);
    const [gate, through] = [Promise.withResolvers<void>(), Promise.withResolvers<unknown>()];
    const waits = db.transaction(async (tx) => {
      await tx.run`insert into things (id) values ('waits')`;
      await gate.promise;
      await tx.run`insert into things (id) values ('late')`.catch(through.resolve);
    });
    const forever = db.transaction(async (tx) => {
      await tx.run`insert into things (id) values ('forever')`;
      await new Promise(() => {});
    });
    const others = ['a', 'b', 'c'].map((id) => db.run`insert into things (id) values (${id})`);
    const message = 'the body of a transaction waited for something other than its tx';
    await Promise.all([waits, forever].map((body) => assert.rejects(body, { name: 'Error', message })));
    assert.deepEqual(await Promise.all(others), [1, 1, 1]);
    gate.resolve();
    assert.match(String(await through.promise), /this transaction has ended/);
    assert.deepEqual(await idsOf(db), ['a', 'b', 'c']);
  });

  test('a snapshot is consistent, and blocks neither writers nor other readers', async (t) => {
    const db = await openWithThings(t, database);
    await db.run`insert into things (id) values ('before')`;
    const seen = await db.snapshot(async (snapshot) => {
      const read = () => snapshot.all<{ id: string }>`select id from things`;
      const first = await read();
      let others: string[] | undefined;
      const meanwhile = async () => {
        await db.run`insert into things (id) values ('meanwhile')`;
        others = await idsOf(db);
      };
      const done = meanwhile();
      // A body on PostgreSQL may await nothing but its queries; on SQLite its queries leave no turn to others.
      if (database.kind === 'postgres') while (!others) await read();
      else await done;
      return { others, own: [...first, ...(await read())].map((row) => row.id) };
    });
    assert.deepEqual(seen, { others: ['before', 'meanwhile'], own: ['before', 'before'] });
    await assert.rejects(db.snapshot((snapshot) => snapshot.run`insert into things (id) values ('no')`));
    assert.deepEqual(await idsOf(db), ['before', 'meanwhile']);
  });

  test('60 concurrent transactions count one row to 60', async (t) => {
    const db = await openWithThings(t, database);
    await db.run`insert into things (id, n) values ('counter', 0)`;
    const counts = await Promise.all(
      Array.from({ length: 60 }, () =>
        db.transaction(async (tx) => {
          const row = await tx.get<{
            n: number;
          }>`update things set n = n + 1 where id = 'counter' returning n`;
          await tx.run`insert into things (id, n) values (${`counted ${row?.n}`}, 0)`;
          return row?.n;
        }),
      ),
    );
    assert.deepEqual(
      counts.sort((a, b) => (a ?? 0) - (b ?? 0)),
      Array.from({ length: 60 }, (_, n) => n + 1),
    );
    assert.deepEqual(await db.get`select count(*) as n from things`, { n: 61 });
  });

  test('closing waits for running transactions and refuses later ones', async (t) => {
    const db = await openWithThings(t, database);
    const writes = Array.from({ length: 100 }, (_, n) => db.run`insert into things (id) values (${`t${n}`})`);
    const closed = db[Symbol.asyncDispose]();
    await assert.rejects(
      db.transaction(async () => {}),
      /the database is closed/,
    );
    await closed;
    assert.equal(
      (await Promise.allSettled(writes)).filter(({ status }) => status === 'fulfilled').length,
      100,
    );
    await db[Symbol.asyncDispose]();
  });
});

onEachDatabase('a transaction of two flights', (database) => {
  const find = (tx: Queries) => tx.all<{ id: string }>`select id from things order by id`;

  test('writes what it read', async (t) => {
    const db = await openWithThings(t, database);
    await db.run`insert into things (id) values ('a'), ('b')`;
    const found = await db.twoFlights(find, (tx, rows) => {
      for (const { id } of rows) void tx.run`insert into things (id) values (${`${id}2`})`;
      return rows.length;
    });
    assert.equal(found, 2);
    assert.deepEqual(await idsOf(db), ['a', 'a2', 'b', 'b2']);
  });

  test('a failure of a statement that is not awaited undoes the others and is reported', async (t) => {
    const db = await openWithThings(t, database);
    await db.run`insert into things (id) values ('a')`;
    const refused = db.twoFlights(find, (tx) => {
      void tx.run`insert into things (id) values ('b')`;
      void tx.run`insert into things (id) values ('a')`;
      void tx.run`insert into things (id) values ('c')`;
    });
    await assert.rejects(refused, (error) => db.isStatementFault(error));
    assert.deepEqual(await idsOf(db), ['a']);
  });
});
