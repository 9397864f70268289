import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Clock } from '../../test/clocks.ts';
import { type DatabaseSettings, onEachDeployment, onPostgres } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import { type Person, startService } from '../../test/harness.ts';
import { countLockWaits } from '../../test/locked-inbox.ts';
import { connectPostgres } from '../../test/postgres-client.ts';
import { readEvents } from '../inbox/stored-events.ts';
import { deleteUser } from '../leaving/remove-user.ts';
import { listReports } from './decide-report.ts';
import { fileReport } from './reports.ts';
import type { ReportedMessage } from './schemas.ts';

const DAY_S = 24 * 60 * 60;

interface ReportRow {
  id: string;
  reporter_id: string | null;
  reported_id: string;
  reason: string;
  text: string;
  messages: string;
  decided_at: number | null;
  act: string | null;
  note: string;
}

onEachDeployment('Reports', (database) => {
  async function start(t: TestContext) {
    const clock = new Clock({ isStill: true });
    const service = await startService(t, database, { world: clock.world });
    const { db } = service.services;
    const [alice, bob, carol] = [
      await service.join('alice'),
      await service.join('bob'),
      await service.join('carol'),
    ];
    return {
      clock,
      service,
      db,
      alice,
      bob,
      carol,
      report: (body: object, { token }: Person = alice) => service.post('/api/report', body, { token }),
      write: async (from: Person, to: Person, body: string) =>
        service.post('/api/messages', { to: to.id, cid: body, body }, { token: from.token }),
      rows: () => db.all<ReportRow>`
        select id, reporter_id, reported_id, reason, text, messages, decided_at, act, note from reports order by id`,
      eventsOf: async ({ id }: Person) =>
        (await readEvents(db, id, 0, 100)).map(({ event }) => event).filter((one) => one !== 'message'),
      remove: ({ id }: Person) => db.transaction((tx) => deleteUser(tx, id)),
    };
  }

  test('a report has copies of the messages, and blocks if asked to; the reported user gets nothing', async (t) => {
    const { alice, bob, carol, report, write, rows, eventsOf, service, clock } = await start(t);
    for (const [from, to, body] of [
      [alice, bob, 'one'],
      [bob, alice, 'two'],
      [bob, carol, 'for Carol'],
      [bob, alice, 'three'],
    ] as const)
      await write(from, to, body);
    const at = clock.world.now?.();
    const text = '😀'.repeat(1000);
    const first = await report({
      userId: bob.id,
      reason: 'abuse',
      text,
      messages: [3, 1, 3, 9, Number.MAX_SAFE_INTEGER],
    });
    assert.equal(first.status, 200);
    assert.deepEqual(await eventsOf(alice), [], 'no block was asked for');
    const second = await report({ userId: bob.id, reason: 'spam', block: true });
    const third = await report({ userId: bob.id, reason: 'other', messages: [], block: true });
    assert.deepEqual([second.status, third.status], [200, 200], 'an existing block is no error');
    const [one, two] = await rows();
    const common = { reporter_id: alice.id, reported_id: bob.id, decided_at: null, act: null, note: '' };
    const messages = [
      { n: 1, by: 'reporter', at, body: 'one' },
      { n: 3, by: 'reported', at, body: 'three' },
    ];
    assert.deepEqual(
      { ...one, messages: JSON.parse(one?.messages ?? '') },
      { ...common, id: first.body.data.id, reason: 'abuse', text, messages },
    );
    assert.deepEqual(
      { ...two },
      { ...common, id: second.body.data.id, reason: 'spam', text: '', messages: '[]' },
    );
    assert.deepEqual(await eventsOf(alice), ['block'], 'once');
    assert.deepEqual(await eventsOf(bob), []);
    assert.equal((await write(bob, alice, 'four')).status, 403);
    const { body } = await service.get('/api/account/log', { token: alice.token });
    assert.equal(body.data.items[0].what, 'blocked');
  });

  test('a copy of a message that was unsent says when, without the text; one made before keeps the text', async (t) => {
    const { alice, bob, report, write, rows, service, clock } = await start(t);
    const change = async (act: string, body: object) => {
      const answer = await service.post(
        `/api/messages/${act}`,
        { peer: alice.id, ...body },
        { token: bob.token },
      );
      assert.equal(answer.status, 200, answer.text);
    };
    for (const body of ['one', 'two']) await write(bob, alice, body);
    const reportBoth = () => report({ userId: bob.id, reason: 'abuse', messages: [1, 2] });
    await reportBoth();
    await change('unsend', { n: 1 });
    await change('edit', { n: 2, body: 'changed' });
    await reportBoth();
    const at = clock.world.now?.();
    assert.deepEqual(
      (await rows()).map(({ messages }) => JSON.parse(messages)),
      [
        [
          { n: 1, by: 'reported', at, body: 'one' },
          { n: 2, by: 'reported', at, body: 'two' },
        ],
        [
          { n: 1, by: 'reported', at, body: '', unsentAt: at },
          { n: 2, by: 'reported', at, body: 'changed' },
        ],
      ],
    );
  });

  test('what is no report is refused and stores nothing', async (t) => {
    const { alice, bob, carol, report, rows, eventsOf, db, remove, service } = await start(t);
    await remove(carol);
    const good = { userId: bob.id, reason: 'spam' };
    const wrong = [
      {},
      { userId: bob.id },
      { reason: 'spam' },
      ...['userId', 'reason', 'text', 'messages', 'block'].flatMap((name) =>
        [null, 1, {}, ['x'], [null], [0], [1.5], ['1']].map((value) => ({ ...good, [name]: value })),
      ),
      { ...good, messages: Array.from({ length: 21 }, (_, i) => i + 1) },
      { ...good, messages: [2 ** 53] },
      { ...good, text: 'x'.repeat(1001) },
      { ...good, text: '\0' },
      { ...good, reason: 'Spam' },
      { ...good, block: 1 },
    ];
    for (const body of wrong) {
      const { status, body: answer } = await report(body);
      assert.equal(status, 400, JSON.stringify(body));
      assert.ok(answer.error && answer.msg);
    }
    const refused = async (userId: string, by?: Person) => {
      const { status, body } = await report({ ...good, userId, block: true }, by);
      return [status, body.error];
    };
    assert.deepEqual(await refused(alice.id), [400, 'report_self']);
    assert.deepEqual(await refused('nobody'), [404, 'user_not_found']);
    assert.deepEqual(await refused(carol.id), [404, 'user_not_found'], 'deleted');
    assert.deepEqual(await refused(bob.id, carol), [401, 'unauthenticated']);
    const { events } = service.services;
    const late = fileReport(
      { db, events },
      { userId: alice.id, sessionId: 'ended' },
      { ...good, reason: 'spam' },
      1,
    );
    await assert.rejects(late, { word: 'unauthenticated' });
    assert.deepEqual([await rows(), await eventsOf(alice)], [[], []]);
    await db.run`update users set status = 'suspended' where id = ${bob.id}`;
    assert.equal((await report(good)).status, 200, 'a suspended user can be reported');
  });

  test('a user files ten reports in any 24 hours, also at once and on several nodes', async (t) => {
    const { bob, carol, report, rows, clock } = await start(t);
    const answers = await Promise.all(
      Array.from({ length: 15 }, () => report({ userId: bob.id, reason: 'spam' })),
    );
    const refused = answers.filter(({ status }) => status === 429);
    assert.deepEqual([refused.length, (await rows()).length], [5, 10]);
    for (const { body, headers } of refused)
      assert.deepEqual([body.error, headers['retry-after']], ['too_many_reports', String(DAY_S)]);
    assert.equal((await report({ userId: bob.id, reason: 'spam' }, carol)).status, 200, 'others may');
    clock.add(DAY_S * 1000 - 1);
    const late = await report({ userId: bob.id, reason: 'spam' });
    assert.deepEqual([late.status, late.headers['retry-after']], [429, '1']);
    clock.add(1);
    assert.equal((await report({ userId: bob.id, reason: 'spam' })).status, 200);
  });

  test('erasing takes from reports the name and words of who reported, and ends open ones about the erased user, without texts', async (t) => {
    const { alice, bob, carol, report, write, rows, remove, eventsOf } = await start(t);
    await write(alice, bob, 'hello');
    await write(bob, alice, 'go away');
    await report({ userId: bob.id, reason: 'spam', text: 'he is rude', messages: [1, 2] });
    await write(alice, carol, 'hello too');
    await report({ userId: alice.id, reason: 'abuse', text: 'she is rude', messages: [1] }, carol);
    await remove(alice);
    const [byAlice, ofAlice] = await rows();
    assert.deepEqual([byAlice?.reporter_id, byAlice?.decided_at], [null, null]);
    const copies = JSON.parse(byAlice?.messages ?? '').map(({ n, by, body }: ReportedMessage) => ({
      n,
      by,
      body,
    }));
    assert.deepEqual(copies, [{ n: 2, by: 'reported', body: 'go away' }]);
    assert.deepEqual([byAlice?.text, ofAlice?.text, ofAlice?.messages], ['', '', '[]']);
    assert.ok(!JSON.stringify(byAlice).includes(alice.id));
    assert.ok(ofAlice?.decided_at);
    assert.deepEqual([ofAlice.reporter_id, ofAlice.act, ofAlice.note], [carol.id, null, 'account deleted']);
    assert.deepEqual(await eventsOf(carol), []);
  });

  test('a list has pages, the oldest first, and only the number of the copies', async (t) => {
    const { db, alice, bob, report, write, clock } = await start(t);
    await write(alice, bob, '{"n":1}, {"n":2}');
    await write(bob, alice, 'two');
    const filed: (readonly [id: string, copies: number])[] = [];
    for (const [messages, wait] of [
      [[1, 2], 0],
      [[1], 1],
      [[], 0],
      [[2], 0],
    ] as const) {
      clock.add(wait);
      const { body } = await report({ userId: bob.id, reason: 'spam', messages });
      filed.push([body.data.id, messages.length]);
    }
    await db.run`update reports set decided_at = 1, act = 'dismiss' where id = ${String(filed[1]?.[0])}`;
    for (const [isOpen, expected] of [
      [false, filed],
      [true, filed.filter((_, i) => i !== 1)],
    ] as const) {
      const found = [];
      let page = await listReports(db, { isOpen, after: { at: 0, id: '' }, limit: 1 });
      for (let [last] = page; last; [last] = page) {
        found.push(last);
        page = await listReports(db, { isOpen, after: last, limit: 1 });
      }
      assert.deepEqual(
        found.map(({ id, copies }) => [id, copies]),
        expected,
      );
      assert.ok(!found.some((one) => 'messages' in one));
    }
  });
});

onPostgres('Reports', (database) => {
  test('no report stays open that is filed while the reported account is being deleted', async (t) => {
    let settings: DatabaseSettings | undefined;
    const service = await startService(t, database, {
      env: (_node, given) => {
        settings = given;
        return {};
      },
    });
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    assert.ok(settings && 'databaseUrl' in settings);
    await using deletion = await connectPostgres(settings.databaseUrl);
    await deletion.rows(`begin; update users set status = 'deleted' where id = '${bob.id}'`);
    let isAnswered = false;
    const report = service
      .post('/api/report', { userId: bob.id, reason: 'spam' }, { token: alice.token })
      .finally(() => {
        isAnswered = true;
      });
    const given = settings;
    await eventually(async () => isAnswered || (await countLockWaits(given)) > 0);
    await deletion.rows('commit');
    assert.equal((await report).status, 404);
    assert.deepEqual(await service.services.db.all`select id from reports`, []);
  });
});
