import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onPostgres } from '../../test/databases.ts';
import { startService } from '../../test/harness.ts';
import { insertUser } from '../accounts/accounts.ts';
import { ServiceError } from '../errors.ts';
import { RecipientQueues } from './recipient-queues.ts';
import { sendWithinLimit } from './sending.ts';

test('messages to one recipient run one after the other, 200 wait, and the next is refused as overloaded', async () => {
  const queues = new RecipientQueues();
  const first = Promise.withResolvers<void>();
  let running = 0;
  let maxRunning = 0;
  const job = async () => {
    maxRunning = Math.max(maxRunning, ++running);
    await first.promise;
    running--;
  };
  const waiting = Array.from({ length: 201 }, () => queues.run('alice', job));
  await assert.rejects(
    queues.run('alice', job),
    (error) => error instanceof ServiceError && error.kind === 'rate-limited' && error.word === 'overloaded',
  );
  assert.equal(await queues.run('bob', async () => 'not delayed'), 'not delayed');
  first.resolve();
  await Promise.all(waiting);
  assert.equal(maxRunning, 1);
  assert.equal(await queues.run('alice', async () => 'again'), 'again');
});

onPostgres('a popular inbox', (database) => {
  test('does not delay messages to other recipients', async (t) => {
    const { services } = await startService(t, database);
    const people = Array.from({ length: 150 }, (_, i) => `person-${i}`);
    await services.db.transaction(async (tx) => {
      await Promise.all(
        ['star', 'friend', ...people].map((id) =>
          insertUser(tx, { id, username: id, password_hash: '', created_at: 1 }),
        ),
      );
      await Promise.all(
        people.map(
          (id) => tx.run`
          insert into sessions (id, user_id, device, created_at, used_at) values (${`of-${id}`}, ${id}, '', 1, 1)`,
        ),
      );
    });
    let arrived = 0;
    const send = async (id: string, to: string) => {
      await sendWithinLimit(
        services,
        services.chat,
        services.clock,
        { userId: id, sessionId: `of-${id}` },
        { to, cid: `${id}-${to}`, body: 'hi' },
      );
    };
    const popular = people.slice(1).map((id) => send(id, 'star').then(() => arrived++));
    await send('person-0', 'friend');
    assert.ok(arrived < 75, `${arrived} of 149 were stored first`);
    await Promise.all(popular);
    const head = await services.db.get<{ seq: number }>`select seq from inbox_heads where user_id = 'star'`;
    assert.equal(head?.seq, 149);
  });
});
