import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onEachDatabase, type TestDatabase } from '../../test/databases.ts';
import { ChangeReader, changeJobs } from './change-reader.ts';
import { eventOf, recordChange } from './changes.ts';
import { Events, type ServiceEvent } from './hints.ts';

const ALICE = { type: 'user-changed', userId: 'alice' } as const;
const BOB = { type: 'user-changed', userId: 'bob' } as const;
const EVERYTHING = { type: 'external-change' } as const;

onEachDatabase('the reader of changes', (database) => {
  /** A node, and what its listeners received from others since the last look. */
  async function openNode(
    t: TestContext,
    given?: Awaited<ReturnType<TestDatabase['open']>>,
    { hasNodes = true } = {},
  ) {
    const db = given ?? (await database.open(t));
    const events = new Events();
    const received: ServiceEvent[] = [];
    let elapsedMs = 0;
    const changes = await ChangeReader.open(db, events, { monotonicMs: () => elapsedMs }, { hasNodes });
    events.subscribe((event, origin) => origin === 'other' && received.push(event));
    const wait = (ms: number) => {
      elapsedMs += ms;
      return changes.hasReadLately;
    };
    const read = async () => {
      await changes.read();
      return received.splice(0);
    };
    return { db, events, changes, read, received, wait };
  }

  type Recorded = Parameters<typeof recordChange>[1];

  async function record({ db }: { db: Awaited<ReturnType<TestDatabase['open']>> }, event: Recorded) {
    return db.transaction((tx) => recordChange(tx, event));
  }

  test('what another process recorded is received once, also behind later rows; what was there before is not', async (t) => {
    const early = await openNode(t);
    await record(early, ALICE);
    const node = await openNode(t, early.db);
    assert.deepEqual(await node.read(), []);
    await record(node, BOB);
    assert.deepEqual(await node.read(), [BOB]);
    assert.deepEqual(await node.read(), []);
    // A transaction that wrote its row earlier commits only now.
    await record(node, ALICE);
    await node.db
      .run`update changes set at = at - 14000 where subject = ${JSON.stringify({ userId: 'alice' })}`;
    assert.deepEqual(await node.read(), [ALICE]);
    assert.deepEqual(await node.read(), []);
  });

  test('each kind of event arrives as it was recorded, and one of a newer version as a change of everything', async (t) => {
    const node = await openNode(t);
    const recorded: Recorded[] = [
      { type: 'sessions-ended', sessionIds: ['s1', 's2'] },
      ALICE,
      { type: 'block-changed', blockerId: 'alice', blockedId: 'bob', isBlocked: true },
      { type: 'block-changed', blockerId: 'alice', blockedId: 'bob', isBlocked: false },
    ];
    for (const event of recorded) await record(node, event);
    const byText = (events: readonly ServiceEvent[]) => events.map((event) => JSON.stringify(event)).sort();
    assert.deepEqual(byText(await node.read()), byText(recorded));
    assert.deepEqual(eventOf({ id: '1', kind: 'shown-later', subject: 'x' }), EVERYTHING);
  });

  test('own changes that were shared are not received; those whose commit got no answer are', async (t) => {
    const node = await openNode(t);
    const id = await record(node, ALICE);
    await node.events.shareChanges([id]);
    assert.deepEqual(await node.read(), []);
    assert.deepEqual(await node.read(), [], 'the next read finds the row again');
    await record(node, BOB);
    assert.deepEqual(await node.read(), [BOB]);
  });

  test('rows that another node named are received once, before and after all are read', async (t) => {
    const node = await openNode(t);
    const [id, other] = [await record(node, ALICE), await record(node, BOB)];
    assert.deepEqual(
      (await node.changes.readRows([id])).map((row) => row.id),
      [id],
    );
    await node.changes.readRows([id]);
    assert.deepEqual(node.received.splice(0), [ALICE]);
    assert.deepEqual(await node.read(), [BOB]);
    await node.changes.readRows([id, other]);
    assert.deepEqual(await node.read(), []);
  });

  test('a node that has not read named rows after 400 ms is not current until a later read', async (t) => {
    const node = await openNode(t);
    const { all } = node.db;
    const gate = Promise.withResolvers<never>();
    node.db.all = () => gate.promise;
    const id = await record(node, ALICE);
    const reading = [node.changes.readRows([id]), node.changes.readRows([id])];
    assert.deepEqual([node.wait(399), node.wait(1)], [true, false]);
    gate.reject(new Error('no database today'));
    for (const read of reading) await assert.rejects(read, /no database today/);
    assert.equal(node.wait(0), false);
    await assert.rejects(node.read(), /no database today/);
    assert.equal(node.wait(0), false);
    node.db.all = all;
    assert.deepEqual(await node.read(), [ALICE]);
    assert.equal(node.wait(1_000), true);
    await record(node, BOB);
    await node.changes.readRows([id]);
    assert.equal(node.wait(1_000), true);
  });

  test('a read that fails is repeated by the next one', async (t) => {
    const node = await openNode(t);
    const own = await record(node, ALICE);
    await node.events.shareChanges([own]);
    await record(node, EVERYTHING);
    let failures = 1;
    const order: string[] = [];
    node.events.subscribe(({ type }) => order.push(type));
    node.changes.onEverything(async () => {
      if (failures-- > 0) throw new Error('no keys today');
      order.push('reloaded');
    });
    await assert.rejects(node.read(), /no keys today/);
    assert.deepEqual(node.received, []);
    assert.deepEqual(await node.read(), [EVERYTHING]);
    assert.deepEqual(order, ['reloaded', 'external-change']);
    assert.deepEqual(await node.read(), []);
  });

  test('a node that could not read for 3 s is not current until it has read; a single server always is', async (t) => {
    const node = await openNode(t);
    assert.deepEqual([node.wait(2_999), node.wait(1)], [true, false]);
    node.changes.onEverything(async () => {
      node.wait(1_000); // the time of a read counts from its beginning
    });
    await record(node, EVERYTHING);
    await node.read();
    assert.deepEqual([node.wait(1_999), node.wait(1)], [true, false]);
    const failing = new Error('no database');
    node.changes.onEverything(() => Promise.reject(failing));
    await record(node, EVERYTHING);
    await assert.rejects(node.read(), failing);
    assert.equal(node.wait(0), false);
    const single = await openNode(t, node.db, { hasNodes: false });
    assert.equal(single.wait(3_600_000), true);
  });

  test('a read that is called while another runs finds what was committed before the call', async (t) => {
    const node = await openNode(t);
    const running = node.changes.read();
    await record(node, ALICE);
    const [again, third] = [node.changes.read(), node.changes.read()];
    await Promise.all([running, again, third]);
    assert.deepEqual(node.received, [ALICE]);
  });

  test('after a gap in which rows were removed everything counts as changed', async (t) => {
    const node = await openNode(t);
    const old = await record(node, ALICE);
    await node.db.run`update changes set at = at - 3600001 where id = ${old}`;
    await record(node, BOB);
    const trim = changeJobs(node.db, node.changes).find(({ name }) => name === 'trim changes');
    await trim?.run();
    assert.deepEqual(await node.db.all`select subject from changes`, [{ subject: '{"userId":"bob"}' }]);

    let aheadMs = 0;
    const get = node.db.get.bind(node.db);
    node.db.get = async <Row>(...parts: Parameters<typeof get>) => {
      const row = await get<Row & { now: number }>(...parts);
      return row && { ...row, now: row.now + aheadMs };
    };
    assert.deepEqual(await node.read(), [BOB]);
    aheadMs = 3_540_000;
    assert.deepEqual(await node.read(), []);
    aheadMs += 3_600_000;
    assert.deepEqual(await node.read(), [EVERYTHING]);
    // The database's clock is set back: its present time counts.
    aheadMs = 0;
    await node.db.run`delete from changes`;
    await record(node, ALICE);
    assert.deepEqual(await node.read(), [ALICE]);
  });

  test('it knows how long ago a node said that it has no link, by the database’s clock, also where it was there before', async (t) => {
    const first = await openNode(t);
    assert.equal(first.changes.wasUnlinked(0, 15_000), false);
    await record(first, { type: 'hints-lost' });
    await first.db.run`update changes set at = at - 9000`;
    const later = await openNode(t, first.db);
    await first.read();
    for (const { changes, wait } of [first, later]) {
      assert.deepEqual([changes.wasUnlinked(0, 15_000), changes.wasUnlinked(0, 9_000)], [true, false]);
      wait(5_000);
      assert.deepEqual([changes.wasUnlinked(0, 15_000), changes.wasUnlinked(14_000, 16_000)], [true, true]);
      wait(10_000);
      assert.equal(changes.wasUnlinked(0, 15_000), false);
    }
    await record(first, { type: 'hints-lost' });
    await first.db.run`update changes set at = at - 15000`;
    await first.read();
    assert.equal(first.changes.wasUnlinked(0, 15_000), false);
  });
});
