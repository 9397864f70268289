import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/clocks.ts';
import { onEachDatabase, onEachDeployment, onPostgres } from '../../test/databases.ts';
import { startService } from '../../test/harness.ts';
import { addUser } from '../../test/people.ts';
import { connectPostgres } from '../../test/postgres-client.ts';
import { createUrl } from '../../test/postgres-rows.ts';
import { startSockets } from '../../test/sockets.ts';
import type { OnPromotion, SchemaDb } from '../db/db.ts';
import { Events } from '../events/hints.ts';
import type { Device } from './delivery.ts';
import { getEpoch, renewEpoch } from './epoch.ts';
import { openInboxes } from './inbox-services.ts';

/** A database of a PostgreSQL that fails over when the test says so, and the processes that use it. */
function startProcesses(db: SchemaDb) {
  const warnings: string[] = [];
  const record = (_: unknown, text = '') => void warnings.push(text);
  const start = async (timeline: string) => {
    const clock = new ManualClock();
    const events = new Events();
    let onPromotion: OnPromotion | undefined;
    db.watchPromotions = (by) => {
      onPromotion = by;
      return timeline;
    };
    const inbox = await openInboxes(db, events, clock.world, { error: record, warn: record });
    const promote = async (to: string) => onPromotion?.(to, (body) => db.transaction(body));
    const note = (userId: string, seq: number) => {
      const data = { peer: 'bob', n: 1, from: 'bob', cid: 'c', body: 'hi' };
      events.publish({ type: 'inbox', userId, event: { seq, at: 1, event: 'message', data } });
    };
    return { inbox, promote, note };
  };
  return { start, warnings };
}

/** A user with so many events. @returns their id */
async function addReader(db: SchemaDb, seq: number): Promise<string> {
  const id = await addUser(db, 'alice');
  await db.run`update inbox_heads set seq = ${seq} where user_id = ${id}`;
  return id;
}

onEachDatabase('the epoch after a failover', (database) => {
  test('is renewed once, by the first process that knows of an event that is gone', async (t) => {
    const db = await database.open(t);
    const alice = await addReader(db, 6);
    const { start, warnings } = startProcesses(db);
    const [first, second, third] = [await start('1'), await start('1'), await start('1')];
    const { epoch } = first.inbox;
    for (const { note } of [second, third]) note(alice, 8);
    await first.promote('2');
    assert.equal(first.inbox.epoch, epoch, 'this one knows of no loss');
    await second.promote('2');
    const renewed = second.inbox.epoch;
    assert.notEqual(renewed, epoch);
    await third.promote('2');
    assert.equal(third.inbox.epoch, renewed);
    await first.inbox.failovers.reload(db);
    assert.equal(first.inbox.epoch, renewed);
    assert.deepEqual(
      warnings.map((text) => text.replace(/:.*/, '')),
      [
        'PostgreSQL was promoted and has every commit of the last minute that was answered',
        'PostgreSQL was promoted and lacks answered commits',
        'PostgreSQL was promoted and lacks answered commits',
        'the epoch was renewed by another process',
      ],
    );
    const kinds = await db.all`select kind from changes`;
    assert.deepEqual(kinds, [{ kind: 'external-change' }], 'the others learn of it');
  });

  test('stays when nothing is gone, also at the next failover, and of a log that goes on', async (t) => {
    const db = await database.open(t);
    const alice = await addReader(db, 8);
    const { start } = startProcesses(db);
    const { inbox, note, promote } = await start('1');
    const { epoch } = inbox;
    note(alice, 7);
    await promote('2');
    await promote('3');
    assert.equal(inbox.epoch, epoch);
    assert.equal((await start('3')).inbox.epoch, epoch);
  });

  test('is renewed when an earlier renewal is what was lost', async (t) => {
    const db = await database.open(t);
    const { start } = startProcesses(db);
    const { inbox, promote } = await start('1');
    const { epoch } = inbox;
    await db.run`update service set value = 'older' where name = 'epoch'`;
    await promote('2');
    assert.ok(!['older', epoch].includes(inbox.epoch));
  });

  test('is renewed by a start on another timeline than the stored one; the first start stores it alone', async (t) => {
    const db = await database.open(t);
    await db.run`insert into service (name, value) values ('epoch', 'upgraded')`;
    const { start, warnings } = startProcesses(db);
    for (let starts = 0; starts < 2; starts++) assert.equal((await start('1')).inbox.epoch, 'upgraded');
    assert.deepEqual(warnings, []);
    const { epoch } = (await start('2')).inbox;
    assert.notEqual(epoch, 'upgraded');
    assert.deepEqual(warnings, [
      'PostgreSQL was promoted while no server ran: every device starts from a new snapshot',
    ]);
    assert.equal((await start('2')).inbox.epoch, epoch);
    assert.equal(await db.transaction(getEpoch), epoch);
  });

  test('closes devices that have an event that is gone at once, the others within half a minute', async (t) => {
    const db = await database.open(t);
    const alice = await addReader(db, 6);
    const { inbox, promote } = await startProcesses(db).start('1');
    const closed: number[] = [];
    const join = (cursor: number) => {
      const device: Device = {
        userId: alice,
        unsentBytes: 0,
        writeEvent: () => {},
        goLive: () => {},
        overflow: () => {
          closed.push(cursor);
          inbox.delivery.leave(device);
        },
      };
      inbox.delivery.join(device, cursor, 0);
    };
    join(8);
    for (let n = 0; n < 60; n++) join(6);
    t.mock.timers.enable({ apis: ['setTimeout'] });
    await promote('2');
    assert.deepEqual(closed, [8]);
    const counts: number[] = [];
    for (let seconds = 1; seconds <= 30; seconds++) {
      t.mock.timers.tick(1_000);
      counts.push(closed.length - 1);
    }
    t.mock.timers.reset();
    assert.equal(counts.at(-1), 60);
    assert.ok(
      counts.every((count, second) => count >= second && count <= 4 * (second + 1)),
      `${counts}`,
    );
  });
});

onEachDeployment('a running server', (database) => {
  test('learns that another process renewed the epoch, and closes its devices', async (t) => {
    const service = await startSockets(t, database, { world: { nodeTimes: { closeMs: 0 } } });
    const alice = await service.join('alice');
    const sockets = await Promise.all(service.nodes.map((_, node) => service.enter(alice, { node })));
    const epoch = await renewEpoch(service.services.db);
    for (const socket of sockets)
      assert.deepEqual(await socket.ended, { code: 4008, reason: 'too_far_behind' });
    for (const { services } of service.nodes) assert.equal(services.inbox.epoch, epoch);
  });
});

onPostgres('a server whose role may not ask for the timeline', (database) => {
  test('says once that a failover is not noticed, and serves', async (t) => {
    const admin = await createUrl(t, database);
    const url = new URL(admin);
    const role = `plain_${url.pathname.slice(1)}`;
    await using sql = await connectPostgres(admin);
    await sql.rows(`create role ${role} login`);
    await sql.rows(`grant all on schema public to ${role}`);
    await sql.rows(`grant all on all tables in schema public to ${role}`);
    await sql.rows('revoke execute on function pg_walfile_name(pg_lsn) from public');
    t.after(async () => {
      await using again = await connectPostgres(admin);
      await again.rows(`drop owned by ${role}`);
      await again.rows(`drop role ${role}`);
    });
    url.username = role;
    const service = await startService(t, { ...database, create: async () => ({ databaseUrl: url.href }) });
    await service.join('alice');
    const said = () => service.logLines.filter((line) => line.includes('does not tell its timeline'));
    await Promise.all(Array.from({ length: 8 }, () => service.services.db.transaction(getEpoch)));
    assert.equal(said().length, 1);
    assert.deepEqual(await service.services.db.all`select value from service where name = 'timeline'`, []);
  });
});
