import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onEachDatabase, type TestDatabase } from '../../../test/databases.ts';
import type { Person } from '../../../test/harness.ts';
import { PRESENT } from '../../../test/present.ts';
import { notifications, type Pushing, startPushing } from '../../../test/pushing.ts';
import { deleteUser } from '../../leaving/remove-user.ts';
import { decideDue } from '../decide/decide.ts';
import { heldUntil } from './held-pushes.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];

async function start(t: TestContext, database: TestDatabase) {
  const pushing = await startPushing(t, database);
  const { service, now } = pushing;
  const timeOf = (at: number) => new Date(at).toISOString().slice(11, 16);
  /** A window of UTC that began an hour ago, and when it ends. */
  const begun = (forMs = HOUR) => {
    const end = Math.floor((now() + forMs) / MINUTE) * MINUTE;
    return { windows: [{ days: EVERY_DAY, from: timeOf(now() - HOUR), to: timeOf(end) }], end };
  };
  const setQuiet = async (person: Person, body: object) => {
    const { status, body: answer } = await service.post(
      '/api/user/quiet',
      { timeZone: 'UTC', windows: [], ...body },
      { token: person.token },
    );
    assert.equal(status, 200, JSON.stringify(answer));
    return answer.data;
  };
  const held = ({ db } = service.services) =>
    db.all<{
      peer_id: string;
      count: number;
      due_at: number;
      quiet_until: number;
      /** When the end was computed. */
      cooldown_until: number;
    }>`
      select peer_id, count, due_at, quiet_until, cooldown_until from push_pending
      where quiet_until is not null order by peer_id`;
  const brief = async (person: Person) =>
    (await pushing.log(person)).map((entry) => [entry.outcome, entry.reason, entry.waiting_until !== null]);
  return { ...pushing, begun, setQuiet, held, brief };
}

/** Lets the time pass until just before everything of the quiet time is due, and then until it is. */
async function passUntil({ pass, now }: Pick<Pushing, 'now' | 'pass'>, at: number) {
  await pass(at - now());
}

test('the ends of users are spread over a minute, always the same for each', () => {
  const row = { until: 1_000, time_zone: 'UTC', windows: [] };
  const ids = Array.from(
    { length: 200 },
    (_, i) => `01980a7e-5b1c-7d60-8f2e-3a9b4c5d${i.toString(16).padStart(4, '0')}`,
  );
  const ends = ids.map((id) => heldUntil(id, row, 0) ?? 0);
  assert.deepEqual(
    ends,
    ids.map((id) => heldUntil(id, row, 999)),
  );
  assert(ends.every((end) => end >= 1_000 && end < 61_000));
  for (const quarter of [0, 1, 2, 3]) {
    const count = ends.filter((end) => Math.floor((end - 1_000) / 15_000) === quarter).length;
    assert(count > 10, `${count} of 200 in quarter ${quarter}`);
  }
});

onEachDatabase('quiet hours', (database) => {
  test('hold what comes, and ring once with its count at the end, in the entry of the log that said so', async (t) => {
    const pushing = await start(t, database);
    const {
      alice,
      bob,
      pushService,
      subscribe,
      write,
      writeAndPush,
      held,
      brief,
      log,
      begun,
      setQuiet,
      outcomes,
    } = pushing;
    const [phone, desktop] = [await subscribe(bob), await subscribe(bob)];
    const { windows, end } = begun();
    await setQuiet(bob, { windows });
    await writeAndPush(alice, bob, 'one');
    const [waiting] = await log(bob);
    assert.deepEqual(await brief(bob), [['waiting', 'quiet', true]]);
    const due = waiting?.waiting_until ?? 0;
    assert(due >= end && due < end + MINUTE, `${due} ${end}`);
    await writeAndPush(alice, bob, 'two');
    await write(alice, bob, 'three');
    assert.deepEqual(
      (await held()).map(({ due_at }) => due_at),
      [due],
      'a further message does not make it due',
    );
    await passUntil(pushing, due - 1);
    assert.deepEqual(
      (await held()).map(({ count, due_at, quiet_until }) => [count, due_at, quiet_until]),
      [[3, due, due]],
    );
    assert.deepEqual(pushService.attempts(phone.endpoint), []);
    await passUntil(pushing, due);
    for (const device of [phone, desktop])
      assert.deepEqual(
        notifications(pushService, device).map(({ body }) => body),
        ['3 new messages'],
      );
    const entries = await log(bob);
    assert.deepEqual(await outcomes(bob), ['accepted', 'accepted']);
    const completed = entries.find(({ id }) => id === waiting?.id);
    assert.equal(completed?.waiting_until, null);
    assert.equal(new Set(entries.map(({ device }) => device)).size, 2);
    assert(entries.every(({ device, device_name }) => device !== '' && device_name !== undefined));
    await writeAndPush(alice, bob);
    await passUntil(pushing, due + 4_000);
    assert.equal(pushService.received(phone.endpoint).length, 2);
  });

  test('at the end the newest 3 conversations ring; the others end as quiet', async (t) => {
    const pushing = await start(t, database);
    const { service, alice, bob, pushService, subscribe, writeAndPush, log, begun, setQuiet } = pushing;
    const phone = await subscribe(bob);
    const { windows } = begun();
    await setQuiet(bob, { windows });
    const people = [
      alice,
      ...(await Promise.all(['carol', 'dave', 'erin'].map((name) => service.join(name)))),
    ];
    for (const person of people) await writeAndPush(person, bob);
    // Alice's is the newest again, Carol's the oldest.
    await writeAndPush(alice, bob);
    const due = (await log(bob))[0]?.waiting_until ?? 0;
    await passUntil(pushing, due);
    assert.deepEqual(
      notifications(pushService, phone)
        .map(({ title }) => title)
        .sort(),
      ['alice', 'dave', 'erin'],
    );
    assert.deepEqual(
      Object.fromEntries(
        (await log(bob)).map((entry) => [entry.peer, [entry.outcome, entry.reason, entry.waiting_until]]),
      ),
      Object.fromEntries(
        people.map((person) => [person.id, [person.username === 'carol' ? 'quiet' : 'accepted', '', null]]),
      ),
    );
  });

  test('what was seen, read or blocked meanwhile does not ring, and completes its entry', async (t) => {
    const pushing = await start(t, database);
    const { service, alice, bob, pushService, subscribe, write, writeAndPush, log, pass, begun, setQuiet } =
      pushing;
    const phone = await subscribe(bob);
    const [carol, dave] = [await service.join('carol'), await service.join('dave')];
    await setQuiet(bob, { windows: begun().windows });
    await writeAndPush(carol, bob);
    await writeAndPush(dave, bob);
    const seq = await write(alice, bob);
    await pass(0);
    const before = await log(bob);
    const due = before[0]?.waiting_until ?? 0;
    await service.post('/api/user/block', { blockedId: dave.id }, { token: bob.token });
    await service.post('/api/messages/mark', { peer: carol.id, n: 1 }, { token: bob.token });
    service.services.presence.online.add(bob.id, PRESENT);
    service.services.push.attention.acknowledge(bob.id, seq, 'desk');
    await passUntil(pushing, due);
    assert.deepEqual(pushService.attempts(phone.endpoint), []);
    const outcomeOf = new Map(
      (await log(bob)).map((entry) => [
        entry.id,
        [entry.peer, entry.outcome, entry.reason, entry.waiting_until],
      ]),
    );
    assert.deepEqual(
      before.map(({ id }) => outcomeOf.get(id)),
      [
        [alice.id, 'seen', '', null],
        [dave.id, 'blocked', '', null],
        [carol.id, 'seen', '', null],
      ],
    );
  });

  test('a change of the windows, the zone or the end gives what is held its new end at once', async (t) => {
    const pushing = await start(t, database);
    const { alice, bob, now, pushService, subscribe, writeAndPush, log, held, begun, setQuiet, service } =
      pushing;
    const phone = await subscribe(bob);
    const until = async () => {
      const [entry] = await log(bob);
      const [row] = await held();
      assert.deepEqual([row?.due_at, row?.quiet_until], [entry?.waiting_until, entry?.waiting_until]);
      return entry?.waiting_until ?? 0;
    };
    const { windows, end } = begun(3 * HOUR);
    await setQuiet(bob, { windows });
    await writeAndPush(alice, bob);
    const spread = (await until()) - end;
    // Two hours east, the window ends two hours earlier.
    await setQuiet(bob, { windows, timeZone: 'Etc/GMT-2' });
    assert.equal((await until()) - end, spread - 2 * HOUR);
    await setQuiet(bob, { until: end + 5 * HOUR });
    assert.equal((await until()) - end, spread + 5 * HOUR);
    await setQuiet(bob, { windows });
    assert.equal((await until()) - end, spread + 5 * HOUR, 'until stays if it is left out');
    await setQuiet(bob, { until: 0, windows });
    assert.equal(await until(), end + spread);
    await setQuiet(bob, { until: 0 });
    await service.pushes.runDue();
    assert.equal(pushService.received(phone.endpoint).length, 1);
    assert.deepEqual(await held(), []);
    assert(now() < end);
  });

  test('a later window that has begun by the end holds it again, in the same entry', async (t) => {
    const pushing = await start(t, database);
    const { alice, bob, pushService, subscribe, writeAndPush, log, begun, setQuiet, service } = pushing;
    const phone = await subscribe(bob);
    const { windows, end } = begun();
    await setQuiet(bob, { windows });
    await writeAndPush(alice, bob);
    const [first] = await log(bob);
    // As by a node of the version before, or an import: nothing recomputes what is held.
    await service.services.db.run`update quiet set until = ${end + 2 * HOUR}`;
    await passUntil(pushing, first?.waiting_until ?? 0);
    const [second] = await log(bob);
    assert.deepEqual([second?.id, second?.outcome], [first?.id, 'waiting']);
    assert.equal((second?.waiting_until ?? 0) - (first?.waiting_until ?? 0), 2 * HOUR);
    assert.deepEqual(pushService.attempts(phone.endpoint), []);
    await passUntil(pushing, second?.waiting_until ?? 0);
    assert.equal(pushService.received(phone.endpoint).length, 1);
  });

  test('a device that is removed while what was held is sent ends the entry', async (t) => {
    const pushing = await start(t, database);
    const { service, alice, bob, subscribe, writeAndPush, log, brief, begun, setQuiet } = pushing;
    await subscribe(bob);
    await setQuiet(bob, { windows: begun().windows });
    await writeAndPush(alice, bob);
    const due = (await log(bob))[0]?.waiting_until ?? 0;
    await service.pushes[Symbol.asyncDispose]();
    const { db } = service.services;
    const { jobs } = await decideDue(db, [{ userId: bob.id, peerId: alice.id }], due);
    assert.equal(jobs.length, 1);
    await db.run`delete from push_subscriptions where user_id = ${bob.id}`;
    assert.deepEqual(await brief(bob), [['gone', 'removed', false]]);
  });

  test('do-not-disturb wins, also at the end, and a job of before waits until then', async (t) => {
    const pushing = await start(t, database);
    const {
      service,
      alice,
      bob,
      now,
      pushService,
      subscribe,
      writeAndPush,
      pass,
      log,
      brief,
      begun,
      setQuiet,
    } = pushing;
    const carol = await service.join('carol');
    const phone = await subscribe(bob);
    pushService.answerNext(phone.endpoint, { status: 500 });
    await writeAndPush(alice, bob);
    const { windows, end } = begun();
    await setQuiet(bob, { windows });
    await pass(10_000);
    assert.equal(pushService.attempts(phone.endpoint).length, 1);
    assert.deepEqual(await brief(bob), [['waiting', 'quiet', true]]);
    const due = (await log(bob))[0]?.waiting_until ?? 0;
    assert(due >= end);
    // Its messages join the job; the conversation rings once.
    await writeAndPush(alice, bob);
    await writeAndPush(carol, bob);
    await setQuiet(bob, { until: now() + 2 * HOUR, windows });
    assert.deepEqual(await brief(bob), Array(3).fill(['waiting', 'quiet', true]));
    const later = (await log(bob))[0]?.waiting_until ?? 0;
    assert(later > due);
    const dnd = (dndEnabled: boolean) =>
      service.post('/api/user/settings', { dndEnabled }, { token: bob.token });
    await dnd(true);
    await writeAndPush(carol, bob);
    await passUntil(pushing, later - 1);
    await dnd(false);
    await passUntil(pushing, later);
    assert.deepEqual(
      notifications(pushService, phone)
        .map(({ title, body }) => [title, body])
        .sort(),
      [
        ['alice', '2 new messages'],
        ['carol', '2 new messages'],
      ],
    );
    assert.deepEqual(await brief(bob), Array(2).fill(['accepted', '', false]));
    await setQuiet(bob, { until: now() + HOUR });
    await writeAndPush(alice, bob);
    await dnd(true);
    await passUntil(pushing, later + HOUR + MINUTE);
    assert.deepEqual((await brief(bob))[0], ['dnd', '', false]);
  });

  test('a clock that is set by an hour: held as long as the new time says', async (t) => {
    const pushing = await start(t, database);
    const {
      service,
      alice,
      bob,
      now,
      pushService,
      subscribe,
      writeAndPush,
      pass,
      held,
      begun,
      setQuiet,
      setClock,
    } = pushing;
    const phone = await subscribe(bob);
    const { windows, end } = begun(90 * MINUTE);
    await setQuiet(bob, { windows });
    await writeAndPush(alice, bob);
    const [row] = await held();
    setClock(HOUR);
    await pass(0);
    assert.deepEqual(await held(), [row], 'forward, still quiet');
    const restarted = await service.restart();
    await restarted.pushes.runDue();
    const heldNow = () => held(restarted.services);
    assert.deepEqual(await heldNow(), [row], 'a start leaves it');
    setClock(-HOUR);
    await restarted.pushes.runDue();
    assert.deepEqual(await heldNow(), [row], 'back, still quiet');
    assert.deepEqual(pushService.attempts(phone.endpoint), []);
    // It began an hour ago, so it has not begun.
    setClock(-HOUR - MINUTE);
    await restarted.pushes.runDue();
    assert.equal(pushService.received(phone.endpoint).length, 1);
    assert(now() < end);
  });

  test('are answered, sent as an event and in the snapshot, and removed with the account', async (t) => {
    const { service, bob, setQuiet, now } = await start(t, database);
    const { token } = bob;
    const get = async () => (await service.get('/api/user/quiet', { token })).body.data;
    const none = { until: 0, time_zone: 'UTC', windows: [] };
    assert.deepEqual(await get(), none);
    assert.deepEqual((await service.get('/api/sync', { token })).body.data.quiet, none);
    const windows = [{ days: [1, 7], from: '22:00', to: '07:00' }];
    const body = { until: now() + HOUR, timeZone: 'Europe/Berlin', windows };
    const expected = { until: body.until, time_zone: 'Europe/Berlin', windows };
    assert.deepEqual(await setQuiet(bob, body), expected);
    assert.deepEqual(await get(), expected);
    const { data } = (await service.get('/api/sync', { token })).body;
    assert.deepEqual([data.quiet, data.seq], [expected, 1]);
    const events = () =>
      service.services.db.all<{ event: string; data: string }>`select event, data from inbox`;
    assert.deepEqual(
      (await events()).map((row) => [row.event, JSON.parse(row.data)]),
      [['quiet', expected]],
    );

    const refused = async (bad: unknown, word: string, at: object = body) => {
      const answer = await service.post('/api/user/quiet', { ...at, ...(bad as object) }, { token });
      assert.deepEqual([answer.status, answer.body.error], [400, word], JSON.stringify(bad).slice(0, 80));
    };
    const [window] = windows;
    for (const name of Object.keys(body))
      for (const value of [null, true, {}, 'x'.repeat(65), -1, [1], 1.5])
        if (!(name === 'windows' && Array.isArray(value) && value.length === 0))
          await refused({ [name]: value }, 'invalid_field');
    for (const value of [Array(15).fill(window), Array(200).fill(window), [null], [[]]])
      await refused({ windows: value }, 'invalid_field');
    for (const bad of [
      { days: [] },
      { days: [0] },
      { days: [8] },
      { days: Array(8).fill(1) },
      { days: null },
      { from: '24:00' },
      { from: '7:00' },
      { to: '07:60' },
      { to: null },
      { to: 420 },
    ])
      await refused({ windows: [{ ...window, ...bad }] }, 'invalid_field');
    await refused({ windows: [window, { ...window, to: '22:00' }] }, 'window_invalid');
    for (const timeZone of ['Mars/Olympus', '+01:00', ' ']) await refused({ timeZone }, 'time_zone_unknown');
    await refused({ windows: Array(10_000).fill(window) }, 'body_too_large');
    await refused({}, 'invalid_field', {});
    await refused({ until: 9e15 }, 'invalid_field');
    assert.deepEqual(await get(), expected);
    assert.equal((await service.get('/api/user/quiet')).status, 401);
    assert.equal((await events()).length, 1);
    const { db } = service.services;
    await db.transaction((tx) => deleteUser(tx, bob.id));
    assert.deepEqual(await db.all`select user_id from quiet`, []);
  });
});
