import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { onNodes, type TestDatabase } from '../databases.ts';
import type { Scope } from '../dispose-after.ts';
import { eventually } from '../eventually.ts';
import type { Person } from '../harness.ts';
import { connectPostgres, identifier } from '../postgres-client.ts';
import { databaseUrl } from '../postgres-cluster.ts';
import { connectRedisPeer, type RedisPeer } from '../redis-peer.ts';
import { startRedis } from '../redis-server.ts';
import { type SocketService, startSockets, type TestSocket } from '../sockets.ts';

const MANY = 1_000_000;

onNodes('a peer on the Redis of a service', (database) => {
  /** Alice has two sessions, the second with a socket on each node; bob and carol are users, carol without a socket. */
  async function start(t: TestContext, database: TestDatabase) {
    const redis = await startRedis();
    const peer = await connectRedisPeer(redis.url);
    t.after(async () => {
      await peer[Symbol.asyncDispose]();
      await redis[Symbol.asyncDispose]();
    });
    const service = await startSockets(t, database, { env: { REDIS_URL: redis.url } });
    const [alice, bob, carol] = [
      await service.join('alice'),
      await service.join('bob'),
      await service.join('carol'),
    ];
    const second = await service.logIn(alice);
    const enter = (person: Person) =>
      Promise.all(service.nodes.map((_, node) => service.enter(person, { node })));
    const [firsts, seconds] = [await enter(alice), await enter(second)];
    for (const node of service.nodes) await node.get('/api/sessions', { token: second.token });
    await service.settled();
    return { service, peer, alice, second, bob, carol, firsts, seconds };
  }

  /** What an attacker can write who knows everything but the key. */
  function forgeries(service: SocketService, peer: RedisPeer, victim: Person, absent: Person) {
    const channels = [...new Set(peer.recorded.map(({ channel }) => channel))];
    const event = {
      seq: 1,
      at: Date.now(),
      event: 'message',
      data: { peer: absent.id, n: 1, from: absent.id, cid: 'forged', body: 'forged' },
    };
    const contents: [type: string, data: unknown][] = [
      ['hints', [{ type: 'inbox', userId: victim.id, event }]],
      ['hints', [{ type: 'typing', from: absent.id, to: victim.id }]],
      ['hints', [{ type: 'external-change' }]],
      ['hints', [{ type: 'sessions-ended', sessionIds: sessionsOf(victim) }]],
      ['changes', { message: 1, ids: ['x'] }],
      [
        'presence',
        { users: [[absent.id, [['session', Date.now(), true, true]], null]], isFirst: false, isLast: false },
      ],
      ...Array.from({ length: 20 }, (_, id): [string, unknown] => ['changes-read', id]),
      ['heartbeat', { own: {}, isAsking: true }],
      ['goodbye', null],
    ];
    const names = [...service.nodes.map(({ services }) => services.nodes?.membership.name), 'stranger'];
    const changed = peer.recorded.map(({ channel, bytes }) => {
      const copy = Buffer.from(bytes);
      copy.writeUIntBE(MANY, Math.min(37, bytes.length - 6), 6); // the counter
      return { channel, bytes: copy };
    });
    const written = channels.flatMap((channel) =>
      names.flatMap((from) =>
        contents.flatMap(([type, data], i) =>
          [1, 2].map((v) => ({
            channel,
            bytes: Buffer.from(JSON.stringify({ v, from, type, n: MANY + i, data })),
          })),
        ),
      ),
    );
    return [...written, ...changed];
  }

  /** The names that each node knows the others by. */
  const peersOf = (service: SocketService) =>
    service.nodes.map(({ services }) => [...(services.nodes?.membership.peers() ?? [])].sort());

  async function assertQuiet(sockets: readonly TestSocket[]): Promise<void> {
    for (const socket of sockets) {
      await socket.roundTrip();
      assert.deepEqual(socket.unread, []);
    }
  }

  test('forges nothing: no socket closes, no message is shown, no node goes, and a session that ends has ended', async (t) => {
    const { service, peer, alice, second, carol, firsts, seconds, bob } = await start(t, database);
    const known = peersOf(service);
    const forged = forgeries(service, peer, second, carol);
    const attack = () => Promise.all(forged.map(({ channel, bytes }) => peer.publish(channel, bytes)));
    await attack();
    await assertQuiet([...firsts, ...seconds]);
    assert.deepEqual(peersOf(service), known);
    assert.equal(await service.isOnline(carol), 0);

    const ending = service.nodes[0]?.post('/api/logout', {}, { token: second.token });
    await attack();
    assert.equal((await ending)?.status, 200);
    for (const node of service.nodes)
      assert.equal((await node.get('/api/sessions', { token: second.token })).status, 401);
    for (const socket of seconds)
      assert.deepEqual(await socket.ended, { code: 4409, reason: 'session_ended' });
    await attack();
    for (const node of service.nodes)
      assert.equal((await node.get('/api/sessions', { token: second.token })).status, 401);

    const message = { to: alice.id, cid: 'real', body: 'real' };
    assert.equal((await service.post('/api/messages', message, bob)).status, 200);
    for (const socket of firsts) {
      await eventually(() => socket.unread.some(({ event }) => event === 'message'));
      const texts = socket.unread.flatMap(({ event, data }) => (event === 'message' ? [data.body] : []));
      assert.deepEqual(texts, ['real']);
    }
    await service.settled();
  });

  test('gains nothing by sending again what it recorded, on any channel', async (t) => {
    const { service, peer, second, bob, carol, firsts, seconds, alice } = await start(t, database);
    const writer = await service.enter(bob, { node: 1 });
    const leaving = await service.enter(carol, { node: 1 });
    await service.settled();
    writer.send({ type: 'typing', to: alice.id });
    const message = { to: alice.id, cid: 'real', body: 'real' };
    assert.equal((await service.post('/api/messages', message, bob)).status, 200);
    for (const socket of [...firsts, ...seconds]) {
      await socket.first(({ type }) => type === 'typing');
      await socket.first(({ event }) => event === 'message');
    }
    // The attacker has what shows carol as online, and the session as alive.
    const recorded = [...peer.recorded];
    await leaving.ask({ type: 'bye' });
    await leaving.ended;
    assert.equal((await service.post('/api/logout', {}, { token: second.token })).status, 200);
    for (const socket of firsts) await socket.first(({ event }) => event === 'sessions');
    for (const socket of seconds) await socket.ended;
    await service.settled();
    await eventually(async () => (await service.isOnline(carol)) === 0);

    const known = peersOf(service);
    const channels = [...new Set(recorded.map(({ channel }) => channel))];
    await Promise.all(
      recorded.flatMap(({ channel, bytes }) =>
        [channel, ...channels].map((other) => peer.publish(other, bytes)),
      ),
    );
    await service.settled();
    await assertQuiet(firsts);
    assert.deepEqual(peersOf(service), known);
    assert.equal(await service.isOnline(carol), 0);
    for (const { get, services } of service.nodes) {
      assert.equal((await get('/api/sessions', { token: second.token })).status, 401);
      const { repeated = 0 } = services.nodes?.dropped.totals ?? {};
      assert.ok(repeated >= recorded.length / 2, `${repeated} of ${recorded.length}`);
    }
  });

  test('reads no text, and no id of a user or session, nor can it guess whom a count is about', async (t) => {
    const { service, peer, alice, second, bob, carol, firsts } = await start(t, database);
    await service.enter(carol);
    const message = { to: alice.id, cid: 'real', body: 'a secret' };
    assert.equal((await service.post('/api/messages', message, bob)).status, 200);
    for (const socket of firsts) await socket.first(({ event }) => event === 'message');
    assert.equal((await service.post('/api/user/block', { blockedId: bob.id }, alice)).status, 200);
    assert.equal((await service.post('/api/logout', {}, { token: second.token })).status, 200);
    await service.settled();
    const [keys, published] = [await peer.keys(), peer.recorded.map(({ bytes }) => bytes.toString('latin1'))];
    assert.ok(keys.length > 0 && published.length > 20);
    const secrets = ['secret', 'hints', 'typing', 'alice', ...sessionsOf(second)].concat(
      [alice, bob, carol].map(({ id }) => id),
    );
    for (const text of [...keys, ...published])
      for (const secret of secrets) assert.ok(!text.includes(secret), secret);
    const guesses = [alice.id, bob.id, '127.0.0.1'].map((key) =>
      hash('sha256', key, 'base64url').slice(0, 22),
    );
    for (const key of keys) for (const guess of guesses) assert.ok(!key.includes(guess), key);
  });

  test('may be a service on a copy of the database: neither hears of the other', async (t) => {
    const redis = await startRedis();
    const peer = await connectRedisPeer(redis.url);
    t.after(async () => {
      await peer[Symbol.asyncDispose]();
      await redis[Symbol.asyncDispose]();
    });
    const settings = await database.create(t);
    assert.ok('databaseUrl' in settings);
    const original = { ...database, create: async () => ({ ...settings, redisUrl: redis.url }) };
    const before = await startSockets(t, original, { count: 1 });
    const [alice, bob] = [await before.join('alice'), await before.join('bob')];
    await before.nodes[0]?.[Symbol.asyncDispose]();
    const ends: (() => Promise<void>)[] = [];
    const url = await copyDatabase({ after: (end) => ends.push(end) }, settings.databaseUrl);
    const copied = { ...database, create: async () => ({ databaseUrl: url, redisUrl: redis.url }) };
    const start = (of: TestDatabase) => startSockets(t, of, { count: 1 });
    const [service, copy] = [await start(original), await start(copied)];
    for (const end of ends) t.after(end); // once the services have ended
    const [socket, copiedSocket] = [await service.enter(alice), await copy.enter(alice)];
    for (const { get, post } of [service, copy]) {
      assert.equal((await get('/api/sessions', { token: bob.token })).status, 200);
      assert.equal((await post('/api/messages', { to: alice.id, cid: 'x', body: 'x' }, bob)).status, 200);
    }
    assert.equal((await copy.post('/api/logout', {}, { token: bob.token })).status, 200);

    const beats = () => {
      const counts = new Map<string, number>();
      for (const { channel } of peer.recorded)
        if (channel.endsWith(':all')) counts.set(channel, (counts.get(channel) ?? 0) + 1);
      return [...counts.values()];
    };
    const [atFirst = 0] = beats();
    await eventually(() => beats().length === 2 && beats().every((count) => count >= atFirst + 3));
    for (const { services } of [service, copy]) {
      assert.deepEqual(services.nodes?.membership.peers(), []);
      assert.deepEqual(services.nodes?.dropped.totals, {
        unverified: 0,
        repeated: 0,
        outdated: 0,
        malformed: 0,
      });
    }
    for (const { unread } of [socket, copiedSocket])
      assert.equal(unread.filter(({ event }) => event === 'message').length, 1);
    assert.equal((await service.get('/api/sessions', { token: bob.token })).status, 200);
  });

  test('has other rights than a node: those that docs/operations.md names suffice for it', async (t) => {
    const redis = await startRedis();
    t.after(() => redis[Symbol.asyncDispose]());
    const document = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    const [rights = ''] = /ACL SETUSER .*/.exec(document) ?? [];
    assert.equal(await redis.command(rights), '+OK');
    const url = redis.url.replace('//', '//doorman:PASSWORD@');
    const service = await startSockets(t, database, {
      env: { REDIS_URL: url, RATE_LIMIT_API: '100/15m', RATE_LIMIT_AUTH: '100/15m' },
    });
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const socket = await service.enter(alice, { node: 0 });
    assert.equal((await service.post('/api/login', { username: 'alice', password: 'wrong' })).status, 400);
    await service.settled();
    for (const { post } of service.nodes)
      assert.equal((await post('/api/messages', { to: alice.id, cid: 'x', body: 'x' }, bob)).status, 200);
    await socket.first(({ event }) => event === 'message');
    await service.settled();
    const warnings = service.logLines.filter((line) => JSON.parse(line).level >= 40);
    assert.deepEqual(
      warnings.filter((line) => line.includes('Redis')),
      [],
    );
    assert.match(await redis.command('ACL LOG'), /^\*0/, 'Redis refused nothing');
  });
});

/** The sessions that the tokens of a person name. */
function sessionsOf({ token }: Person): string[] {
  return [JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sid];
}

/** @returns the address of a copy, which `t.after` removes */
async function copyDatabase(t: Scope, url: string): Promise<string> {
  const name = new URL(url).pathname.slice(1);
  const server = databaseUrl(url, 'postgres');
  await using sql = await connectPostgres(server);
  await sql.rows(`create database ${identifier(`${name}_copy`)} template ${identifier(name)}`);
  t.after(async () => {
    await using admin = await connectPostgres(server);
    await admin.rows(`drop database ${identifier(`${name}_copy`)} with (force)`);
  });
  return databaseUrl(url, `${name}_copy`);
}
