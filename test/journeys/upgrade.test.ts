import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { checkDatabase } from '../../src/commands/checks/database-checks.ts';
import { describeMigrations, describeSchema } from '../../src/commands/checks/described-schema.ts';
import { onEachDatabase, type TestDatabase } from '../databases.ts';
import type { Body } from '../harness.ts';
import { notifications } from '../pushing.ts';
import { type Actor, openStored, resumeAnywhere, type Story, withNewFields } from './stored-service.ts';

interface Upgraded extends Story<'laptop' | 'unknown', 'phone' | 'tablet' | 'later'> {
  /** The push key of new subscriptions; `publicKey` is the one before. `later` is a token of the newer token key. */
  newKey: string;
  /** The device proof of Alice's phone. */
  proof: string;
}

const openUpgraded = (t: TestContext, database: TestDatabase) =>
  openStored<Upgraded>(t, database, 'data-of-25a3ca3');

onEachDatabase('an upgrade from version 25a3ca3', (database) => {
  test('has every answer, every table as a new database has it, and nothing that check finds', async (t) => {
    const { service, story, answers } = await openUpgraded(t, database);
    assert.equal(answers.length, 41);
    for (const answered of answers) {
      const { user, path } = answered;
      const now = await service.get(path, { token: story.tokens[user] });
      assert.deepEqual(now.body, withNewFields(answered), `${user} ${path}`);
    }
    const { db } = service.services;
    for await (const { subject, faults } of checkDatabase(db)) assert.deepEqual(faults, [], subject);
    const { lines } = await describeMigrations();
    assert.deepEqual([...(await describeSchema(db, db.kind))].sort(), [...lines].sort());
  });

  test('keeps passwords, sessions, both token keys and device proofs', async (t) => {
    const { service, story } = await openUpgraded(t, database);
    const statusOf = async (token: string) => (await service.get('/api/sync', { token })).status;
    for (const name of ['alice', 'phone', 'bob', 'later'] as const)
      assert.equal(await statusOf(story.tokens[name]), 200, name);
    assert.equal(await statusOf(story.tokens.tablet), 401);
    const { body: keySet } = await service.get('/.well-known/jwks.json');
    assert.equal(keySet.keys.length, 2);

    const username = 'alice';
    const logIn = (password: string, proof: string) =>
      service.post('/api/login', { username, password }, { headers: { 'device-proof': proof } });
    assert.equal((await logIn('password-of-alice', 'none')).status, 200);
    assert.equal((await logIn('another', 'none')).status, 400);
    const { headers } = await logIn('password-of-alice', story.proof);
    assert.equal(headers['device-proof'], story.proof);
  });

  test('lets clients resume from any position, and go on', async (t) => {
    const opened = await openUpgraded(t, database);
    await resumeAnywhere(opened);
    const { service, story, answers, logs } = opened;
    const { tokens } = story;
    const syncOf = (user: Actor) =>
      answers.find((line) => line.user === user && line.path === '/api/sync')?.answer.data;
    const idOf = (user: Actor): string => syncOf(user).profile.id;
    const last = logs.find(({ user }) => user === 'alice')?.events.at(-1)?.seq ?? 0;

    const socket = await service.connect();
    await socket.hello({ token: tokens.phone, epoch: syncOf('alice').epoch, seq: last, visible: true });
    const write = (from: Actor, to: Actor, cid: string, body: string) =>
      service.post('/api/messages', { to: idOf(to), cid, body }, { token: tokens[from] });
    const sent = await write('bob', 'alice', 'after', 'and on');
    const before = answers.find(({ user, path }) => user === 'alice' && path === '/api/conversations');
    const conversation = before?.answer.data.find(({ peer }: Body) => peer === idOf('bob'));
    assert.equal(sent.body.data.n, conversation.last.n + 1);
    const { seq, data } = await socket.first(({ event }) => event === 'message');
    assert.deepEqual([seq, data.body], [last + 1, 'and on']);

    const repeated = await write('alice', 'bob', 'a1', 'Tea at five?');
    assert.deepEqual([repeated.status, repeated.body.data.n], [200, 1]);
    assert.equal((await write('erin', 'alice', 'no', 'let me in')).body.error, 'not_accepting');
  });

  test('sends what was pending by the key of its subscription', async (t) => {
    const { service, pushService, clock, story } = await openUpgraded(t, database);
    const { endpoint } = story.endpoints.laptop;
    assert.equal((await service.get('/api/push/public-key')).body.publicKey, story.newKey);
    assert.notEqual(story.newKey, story.publicKey);
    clock.add(10_000);
    await service.pushes.runDue();
    // It refuses a push that another key signed.
    assert.deepEqual(
      pushService.attempts(endpoint).map(({ status }) => status),
      [201],
    );
    assert.match(JSON.stringify(notifications(pushService, { endpoint })), /carol/);
  });
});
