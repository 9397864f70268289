import type { TestContext } from 'node:test';
import type { SendBody } from '../src/chat/schemas.ts';
import type { TestDatabase } from './databases.ts';
import type { Body, Person } from './harness.ts';
import { sendMessage } from './messages.ts';
import { startSockets } from './sockets.ts';

/** The word of a refusal, or 'ok'. */
export const wordOf = (answer: { body: Body }): string => answer.body.error ?? 'ok';

/** Alice takes messages of strangers as requests; Bob and Carol are strangers. The clock moves only by the test. */
export async function startRequests(t: TestContext, database: TestDatabase) {
  const clock = { now: Date.now() };
  const service = await startSockets(t, database, {
    env: { TOKEN_TTL: '180d' },
    world: { now: () => clock.now },
  });
  const [alice, bob, carol] = [
    await service.join('alice'),
    await service.join('bob'),
    await service.join('carol'),
  ];
  const { db, accounts } = service.services;
  const take = async (who: string, { id }: Person = alice) =>
    void (await db.run`update users set who_messages = ${who} where id = ${id}`);
  await take('requests');
  let cids = 0;
  const nameOf = (id: string) => [alice, bob, carol].find((one) => one.id === id)?.username;
  const post = (person: Person, path: string, body: object) =>
    service.post(path, body, { token: person.token });
  return {
    service,
    db,
    clock,
    alice,
    bob,
    carol,
    take,
    send: (from: Person, to: Person, cid = `c${++cids}`) =>
      post(from, '/api/messages', { to: to.id, cid, body: cid }),
    /** Sends in one batch. @returns the number of each in its conversation, or the word of its refusal */
    async sendAtOnce(...sent: (readonly [from: Person, to: Person])[]): Promise<(number | string)[]> {
      const senders = await Promise.all(sent.map(([from]) => accounts.authentication.identify(from.token)));
      return Promise.all(
        sent.map(async ([, to], i) => {
          const body: SendBody = { to: to.id, cid: `c${++cids}`, body: 'hi' };
          const sender = senders[i];
          if (!sender) throw new Error('not signed in');
          return sendMessage(service.services, sender, body, clock.now).then(
            ({ n }) => n,
            (error) => error.word,
          );
        }),
      );
    },
    answer: (person: Person, peer: Person, act: string) =>
      post(person, '/api/conversations/request', { peer: peer.id, act }),
    befriend: (person: Person, other: Person, act = 'request') =>
      post(person, `/api/friends/${act}`, { userId: other.id }),
    block: (person: Person, other: Person, act = 'block') =>
      post(person, `/api/user/${act}`, { blockedId: other.id }),
    list: async (person: Person, query = '') =>
      (await service.get(`/api/conversations?${query}`, { token: person.token })).body.data,
    sync: async (person: Person) => (await service.get('/api/sync', { token: person.token })).body.data,
    /** The stored requests, as "alice bob waiting 2". */
    requests: async () =>
      (
        await db.all<{ user_id: string; peer_id: string; state: string; messages: number }>`
          select user_id, peer_id, state, messages from message_requests order by user_id, peer_id`
      ).map((row) => `${nameOf(row.user_id)} ${nameOf(row.peer_id)} ${row.state} ${row.messages}`),
    /** The user's log, in short. */
    eventsOf: async ({ id }: Person) =>
      (
        await db.all<{ event: string; data: string }>`
          select event, data from inbox where user_id = ${id} order by seq`
      ).map(({ event, data }) => {
        const { peer, n, request, state, by, received, read } = JSON.parse(data);
        if (event === 'message') return `${n}${request === 1 ? ' request' : ''}`;
        if (event === 'message_request') return `${nameOf(peer)} ${state}`;
        return event === 'marked' ? `${nameOf(by)} received ${received} read ${read}` : event;
      }),
  };
}
