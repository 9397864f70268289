import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { makeKey } from '../../test/api-key.ts';
import { Clock } from '../../test/clocks.ts';
import { runCommand } from '../../test/commands.ts';
import { type DatabaseSettings, databaseEnv, onEachDeployment } from '../../test/databases.ts';
import type { Answer, Person } from '../../test/harness.ts';
import { startHeld } from '../../test/held-push-service.ts';
import { startPushing } from '../../test/pushing.ts';
import { startSockets } from '../../test/sockets.ts';
import { createPasswordLink } from '../accounts/password-links.ts';
import { hashOfSecret } from '../accounts/secrets.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const ROUNDS = 3;

/** The word of a refusal, or the code of a success. */
const wordOf = ({ status, body }: Answer) => (status === 200 ? 200 : body.error);
const times = <T>(count: number, act: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => act(i)));

onEachDeployment('A deletion at the same moment as', (database) => {
  async function start(t: TestContext) {
    const clock = new Clock();
    let operatorEnv: Record<string, string> = {};
    const service = await startSockets(t, database, {
      env: (_node, settings: DatabaseSettings) => {
        operatorEnv = databaseEnv(settings);
        return {};
      },
      world: clock.world,
    });
    const { db } = service.services;
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const logIn = () => service.post('/api/login', alice);
    const ask = (person: Pick<Person, 'token'> = alice) => service.post('/api/account/delete', {}, person);
    const keep = (ticket: unknown) => service.post('/api/account/keep', { ticket });
    return {
      ...{ clock, service, db, alice, bob, logIn, ask, keep },
      operate: (...words: string[]) => runCommand(operatorEnv, ['user', ...words]),
      async assertSound() {
        const { code, output } = await runCommand(operatorEnv, ['check']);
        assert.equal(code, 0, output);
      },
      ticket: async () => String((await logIn()).body.ticket),
      /** Brings alice back. @returns her new session */
      async comeBack(): Promise<Person> {
        const { body } = await keep((await logIn()).body.ticket);
        return { ...alice, token: body.data.token };
      },
      /** That nothing is left by which she is signed in or notified. */
      async assertGone() {
        const { id } = alice;
        for (const rows of [
          await db.all`select id from sessions where user_id = ${id}`,
          await db.all`select hash from device_proofs where user_id = ${id}`,
          await db.all`select hash from password_links where user_id = ${id}`,
          await db.all`select address from email_codes where user_id = ${id}`,
          await db.all`select id from push_subscriptions where user_id = ${id}`,
          await db.all`select peer_id from push_pending where user_id = ${id} or peer_id = ${id}`,
          await db.all`select peer_id from push_jobs where user_id = ${id} or peer_id = ${id}`,
        ])
          assert.deepEqual(rows, []);
        const users = await db.all`select status from users where id = ${id}`;
        assert.deepEqual(users, [{ status: 'deleted' }]);
      },
    };
  }

  test('a second one is asked for once', async (t) => {
    const { ask, assertGone, db } = await start(t);
    const words = (await times(3, () => ask())).map(wordOf);
    assert.deepEqual(words.sort(), [200, 'unauthenticated', 'unauthenticated']);
    await assertGone();
    const logged = await db.all`select id from account_log where what = 'deletion_asked'`;
    assert.equal(logged.length, 1);
  });

  test('logins leaves no session', async (t) => {
    const { ask, logIn, comeBack, assertGone, alice } = await start(t);
    let person: Person = alice;
    for (let round = 0; round < ROUNDS; round++) {
      const [asked, ...logins] = await Promise.all([ask(person), logIn(), logIn(), logIn()]);
      assert.equal(wordOf(asked), 200);
      for (const login of logins) assert.ok([200, 'account_leaving'].includes(wordOf(login)), login.text);
      await assertGone();
      person = await comeBack();
    }
  });

  test('a hello leaves no socket', async (t) => {
    const { service, ask, comeBack, assertGone, alice } = await start(t);
    let person: Person = alice;
    for (let round = 0; round < ROUNDS; round++) {
      const sockets = await times(3, () => service.connect());
      for (const socket of sockets) socket.send({ type: 'hello', id: '1', token: person.token });
      assert.equal(wordOf(await ask(person)), 200);
      for (const socket of sockets)
        assert.ok([4401, 4403, 4409].includes((await socket.ended).code), String((await socket.ended).code));
      await assertGone();
      person = await comeBack();
    }
  });

  test('messages and friend requests of both sides leaves no push, and no half of a friendship', async (t) => {
    const { service, ask, comeBack, assertGone, assertSound, alice, bob, db } = await start(t);
    let person: Person = alice;
    for (let round = 0; round < ROUNDS; round++) {
      const send = (from: Person, to: Person) => (i: number) =>
        service.post('/api/messages', { to: to.id, cid: `${round}-${i}`, body: 'hi' }, from);
      const befriend = (from: Person, to: Person) =>
        service.post('/api/friends/request', { userId: to.id }, from);
      const [asked, ...others] = await Promise.all([
        ask(person),
        ...[0, 1, 2].map(send(bob, person)),
        ...[0, 1, 2].map(send(person, bob)),
        befriend(bob, person),
        befriend(person, bob),
      ]);
      assert.equal(wordOf(asked), 200);
      for (const other of others)
        assert.ok([200, 400, 401, 403, 404].includes(other.status), `${other.status} ${other.text}`);
      await assertGone();
      const sides = await db.all<{ user_id: string }>`select user_id from friends`;
      assert.ok([0, 2].includes(sides.length), `${sides.length} sides`);
      await assertSound();
      person = await comeBack();
      await service.post('/api/friends/remove', { userId: bob.id }, person);
    }
  });

  test('an import or a registration of the same name leaves the name to its user', async (t) => {
    const { service, ask, comeBack, alice } = await start(t);
    const key = await makeKey(service);
    let person: Person = alice;
    for (let round = 0; round < ROUNDS; round++) {
      const [asked, put, registered] = await Promise.all([
        ask(person),
        service.post('/api/admin/users', { id: `shop-${round}`, username: 'Alice' }, key),
        service.post('/api/register', { username: 'ALICE', password: 'another one' }),
      ]);
      assert.deepEqual([asked, put, registered].map(wordOf), [200, 'username_taken', 'username_taken']);
      person = await comeBack();
    }
  });

  test('a password reset by link lets one of the two through', async (t) => {
    const { service, db, ask, comeBack, assertGone, alice } = await start(t);
    let person: Person = alice;
    for (let round = 0; round < ROUNDS; round++) {
      const link = await db.transaction((tx) => createPasswordLink(tx, alice.id, Date.now()));
      const [asked, reset] = await Promise.all([
        ask(person),
        service.post('/api/password-link', { token: link?.token, newPassword: alice.password }),
      ]);
      const words = [wordOf(asked), wordOf(reset)].join();
      assert.ok(['200,link_invalid', 'unauthenticated,200'].includes(words), words);
      if (words.startsWith('200')) {
        await assertGone();
        person = await comeBack();
      } else person = (await service.post('/api/login', alice)).body.data;
    }
  });

  test('a change of the address leaves none that waits', async (t) => {
    const { service, db, ask, comeBack, assertGone, alice } = await start(t);
    let person: Person = alice;
    for (let round = 0; round < ROUNDS; round++) {
      const [token, later] = [`token ${round}`, Date.now() + 60_000];
      await db.run`
        insert into email_codes (user_id, address, language, requested_at, expires_at, code_hash, link_hash)
        values (${alice.id}, ${`${round}@example.org`}, 'en', 1, ${later}, 'x', ${hashOfSecret(token)})`;
      const [asked, verified] = await Promise.all([
        ask(person),
        service.post('/api/account/email/verify', { token }),
      ]);
      assert.equal(wordOf(asked), 200);
      assert.ok([200, 'code_invalid'].includes(wordOf(verified)), verified.text);
      await assertGone();
      person = await comeBack();
    }
  });

  test('its end by several tickets is undone once', async (t) => {
    const { ask, keep, ticket, db, alice } = await start(t);
    let person: Person = alice;
    for (let round = 0; round < ROUNDS; round++) {
      assert.equal(wordOf(await ask(person)), 200);
      const [first, second] = [await ticket(), await ticket()];
      const kept = await Promise.all([first, first, second, second].map(keep));
      const words = kept.map(wordOf);
      assert.equal(words.filter((word) => word === 200).length, 1, words.join());
      assert.ok(
        words.every((word) => [200, 'ticket_invalid'].includes(word)),
        words.join(),
      );
      assert.equal((await db.all`select id from sessions where user_id = ${alice.id}`).length, 1);
      person = { ...alice, token: kept.find(({ status }) => status === 200)?.body.data.token };
    }
  });

  test('its end and a suspension by the operator never lets the user in', async (t) => {
    const { ask, keep, ticket, logIn, operate, alice } = await start(t);
    let person: Person = alice;
    for (let round = 0; round < ROUNDS; round++) {
      assert.equal(wordOf(await ask(person)), 200);
      const [kept, suspended] = await Promise.all([keep(await ticket()), operate('suspend', 'alice')]);
      assert.equal(suspended.code, 0, suspended.errors);
      assert.ok([200, 'account_suspended'].includes(wordOf(kept)), kept.text);
      const login = await logIn();
      if (wordOf(login) === 'account_leaving')
        assert.equal(wordOf(await keep(login.body.ticket)), 'account_suspended');
      else assert.equal(wordOf(login), 'account_suspended');
      await operate('restore', 'alice');
      person = (await logIn()).body.data;
    }
  });

  test('the clock being set back by a day keeps its date, and ends its tickets', async (t) => {
    const { clock, ask, keep, logIn, ticket } = await start(t);
    const { until } = (await ask()).body.data;
    const before = await ticket();
    clock.add(-DAY_MS);
    assert.equal(wordOf(await keep(before)), 'ticket_invalid');
    const { body } = await logIn();
    assert.equal(body.until, until);
    assert.equal(wordOf(await keep(body.ticket)), 200);
  });
});

onEachDeployment('A push that is in flight at a deletion', (database) => {
  for (const status of [201, 410, 500])
    test(`leaves no job and no entry that waits when it is answered with ${status}`, async (t) => {
      const { service, pushService, alice, bob, subscribe, write, log } = await startPushing(t, database);
      const held = await startHeld(t);
      await subscribe(bob, { of: held.at(pushService.subscribe()) });
      await write(alice, bob);
      const sent = service.pushes.runDue();
      void sent;
      await held.untilHeld();
      assert.equal(wordOf(await service.post('/api/account/delete', {}, bob)), 200);
      await held.answer(status);
      await service.pushes.runDue();
      for (const rows of [
        await service.services.db.all`select subscription_id from push_jobs`,
        await service.services.db.all`select peer_id from push_pending where peer_id = ${alice.id}`,
      ])
        assert.deepEqual(rows, []);
      const { ticket } = (await service.post('/api/login', bob)).body;
      const { token } = (await service.post('/api/account/keep', { ticket })).body.data;
      const outcomes = (await log({ ...bob, token })).map(({ outcome }) => outcome);
      assert.ok(!outcomes.includes('waiting'), outcomes.join());
    });
});
