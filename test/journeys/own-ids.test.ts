import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPasswords } from '../../src/accounts/passwords.ts';
import { onEachDeployment, type TestDatabase } from '../databases.ts';
import type { Body } from '../harness.ts';
import { NO_IDS, OWN_IDS } from '../ids.ts';
import { addUser, setFriends } from '../people.ts';
import { type SocketService, startSockets, type TestSocket } from '../sockets.ts';

const ME = 'auth0|7:eu.a@b~c';
const PEERS = OWN_IDS.filter((id) => id !== ME);
/** All lists have one time, so that a cursor is decided by the id. */
const NOW = Date.now();

/** Everyone of {@link OWN_IDS}, named by their place; `token` signs in. */
async function startTown(t: Parameters<typeof startSockets>[0], database: TestDatabase) {
  const env = { RATE_LIMIT_MESSAGES: 'off' };
  const service = await startSockets(t, database, { env, world: { now: () => NOW } });
  const { db } = service.services;
  const password_hash = await openPasswords({ cost: 4 }).hash('password');
  for (const [at, id] of OWN_IDS.entries())
    await addUser(db, `user ${at}`, { id, nickname: 'a: b', password_hash });
  const token = async (id: string): Promise<string> => {
    const username = `user ${OWN_IDS.indexOf(id)}`;
    const { body } = await service.post('/api/login', { username, password: 'password' });
    assert.equal(body.data.id, id);
    return body.data.token;
  };
  return { service, db, token };
}

/** The entries of all pages of two, read by HTTP. */
async function pagesOf(service: SocketService, path: string, token: string): Promise<Body[]> {
  const all: Body[] = [];
  for (let after = ''; ; ) {
    const { status, body } = await service.get(`${path}limit=2${after}`, { token });
    assert.equal(status, 200, `${path} ${after} ${JSON.stringify(body)}`);
    all.push(...body.data);
    if (body.next === undefined) return all;
    after = `&after=${encodeURIComponent(body.next)}`;
  }
}

/** The same by frames. */
async function framesOf(socket: TestSocket, frame: object): Promise<Body[]> {
  const all: Body[] = [];
  for (let next: { after?: string } = {}; ; ) {
    const { code, data } = await socket.ask({ ...frame, limit: 2, ...next });
    assert.equal(code, 200, JSON.stringify(next));
    all.push(...data.items);
    if (data.next === undefined) return all;
    next = { after: data.next };
  }
}

onEachDeployment('ids that a product brought along', (database) => {
  test('are on one page each of users, friends, blocked users and conversations, by HTTP and by frames', async (t) => {
    const { service, db, token } = await startTown(t, database);
    const me = await token(ME);
    const socket = await service.enter({ token: me });
    for (const [at, id] of PEERS.entries()) {
      await setFriends(db, ME, id);
      const message = { to: id, cid: `c${at}`, body: 'hi' };
      const answer =
        at % 2 === 0
          ? await socket.ask({ type: 'send', ...message })
          : (await service.post('/api/messages', message, { token: me })).body;
      assert.deepEqual([answer.code, answer.data.peer, answer.data.n], [200, id, 1]);
    }
    const byId = OWN_IDS.toSorted();
    const latestFirst = PEERS.toSorted().reverse();
    const idsOf = (entries: Body[]) => entries.map(({ id, peer }) => peer ?? id);
    for (const query of ['', 'q=a&'])
      assert.deepEqual(idsOf(await pagesOf(service, `/api/users?${query}`, me)), byId);
    assert.deepEqual(idsOf(await pagesOf(service, '/api/friends?', me)), latestFirst);
    assert.deepEqual(idsOf(await framesOf(socket, { type: 'friends' })), latestFirst);
    assert.deepEqual(idsOf(await pagesOf(service, '/api/conversations?', me)), latestFirst);
    assert.deepEqual(idsOf(await framesOf(socket, { type: 'conversations' })), latestFirst);
    for (const id of PEERS)
      assert.equal((await service.post('/api/user/block', { blockedId: id }, { token: me })).status, 200);
    const blocked = await pagesOf(service, '/api/user/blocked?', me);
    assert.deepEqual(idsOf(blocked), PEERS.toReversed());
    const { data } = await socket.ask({ type: 'sync' });
    assert.deepEqual(idsOf(data.blocks), PEERS.toReversed());
  });

  test('name one user alone: in profiles, presence, messages, marks, reactions and requests', async (t) => {
    const { service, token } = await startTown(t, database);
    const me = await token(ME);
    const socket = await service.enter({ token: me });
    for (const id of PEERS) {
      const { body } = await service.get(`/api/user/profile/${encodeURIComponent(id)}`);
      assert.deepEqual([body.data.id, body.data.isOnline], [id, 0]);
    }
    const watched = await socket.ask({ type: 'watch', userIds: PEERS });
    assert.deepEqual(watched.data.map((state: Body) => state.id).sort(), PEERS.toSorted());

    for (const id of ['42', 'constructor', 'case', '203.0.113.5', `x${':'.repeat(63)}`]) {
      const theirs = await token(id);
      const peer = await service.enter({ token: theirs });
      await service.settled();
      await service.flush();
      const presence = await socket.first(({ type }) => type === 'presence');
      assert.deepEqual(
        presence.users.map((state: Body) => [state.id, state.online]),
        [[id, 1]],
      );
      const { body: list } = await service.get('/api/users', { token: me });
      const online = list.data.filter((user: Body) => user.isOnline === 1).map((user: Body) => user.id);
      assert.deepEqual(online, [ME, id].toSorted());

      const sent = await peer.ask({ type: 'send', to: ME, cid: 'c1', body: `from ${id}` });
      assert.deepEqual([sent.code, sent.data.n], [200, 1]);
      const event = await socket.first(({ event }) => event === 'message');
      assert.deepEqual([event.data.peer, event.data.from, event.data.body], [id, id, `from ${id}`]);
      assert.equal((await socket.ask({ type: 'mark', peer: id, read: 1 })).code, 200);
      assert.equal((await socket.ask({ type: 'react', peer: id, n: 1, emoji: '👍' })).code, 200);
      assert.equal((await peer.ask({ type: 'react', peer: ME, n: 1, emoji: '🎉' })).code, 200);
      const history = await service.get(`/api/messages?peer=${encodeURIComponent(id)}`, { token: me });
      const [message] = history.body.data.items ?? history.body.data.messages;
      assert.deepEqual(message.reactions, { [ME]: '👍', [id]: '🎉' });

      assert.equal((await socket.ask({ type: 'friend', op: 'request', userId: id })).data.state, 'requested');
      const accepted = await service.post('/api/friends/accept', { userId: ME }, { token: theirs });
      assert.deepEqual([accepted.status, accepted.body.data.state], [200, 'friends']);
      // Who closes without it may come back for ten seconds.
      await peer.ask({ type: 'bye' });
      await peer.ended;
      await service.settled();
      await service.flush();
      await socket.first(
        ({ type, users }) => type === 'presence' && users[0].id === id && users[0].online === 0,
      );
    }
  });

  test('an id of another syntax names no user, and a cursor with one is refused', async (t) => {
    const { service, token } = await startTown(t, database);
    const me = await token(ME);
    for (const id of NO_IDS.filter((one) => one !== '' && !one.includes('\0'))) {
      // A URL has no segment of dots alone.
      const answer = await service.get(`/api/user/profile/${encodeURIComponent(id.replace(/^\.+$/, '-'))}`);
      assert.equal(answer.status, 404, id);
      for (const list of ['/api/friends', '/api/user/blocked', '/api/conversations']) {
        const path = `${list}?after=${encodeURIComponent(`7:${id}`)}`;
        assert.equal((await service.get(path, { token: me })).body.error, 'bad_cursor', id);
      }
      const after = encodeURIComponent(`a:${id}`);
      assert.equal(
        (await service.get(`/api/users?after=${after}`, { token: me })).body.error,
        'bad_cursor',
        id,
      );
    }
    for (const id of ['4', '42 ', 'CASE', 'Constructor', 'auth0%7C7']) {
      const known = OWN_IDS.includes(id);
      const answer = await service.get(`/api/user/profile/${encodeURIComponent(id)}`);
      assert.equal(answer.status, known ? 200 : 404, id);
    }
  });
});
