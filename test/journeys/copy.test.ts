import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { onPostgres, onSqlite } from '../databases.ts';
import { pngOf } from '../pictures-of-noise.ts';
import { type ServerProcess, settingsOf, startCommand, startServer } from '../processes.ts';
import { startPushService } from '../push-service.ts';
import { TestSocket } from '../sockets.ts';

onSqlite('moving to PostgreSQL', (embedded) => {
  onPostgres('moving to PostgreSQL', (postgres) => {
    test('tokens, subscriptions and positions go on after the copy', async (t) => {
      const [before, after] = [await embedded.create(t), await postgres.create(t)].map((d) => settingsOf(d));
      await using pushService = await startPushService();
      await using first = await startServer({ ...before });
      const alice = await register(first, 'alice');
      const bob = await register(first, 'bob');
      const { publicKey } = (await first.get('/api/push/public-key')).body;
      const subscription = pushService.subscribe(publicKey);
      const subscribing = first.post('/api/push/subscribe', { userId: bob.id, subscription }, bob.token);
      assert.equal((await subscribing).status, 200);
      const device = await connect(first);
      const welcome = await device.hello({ token: bob.token });
      const write = async (server: ServerProcess, cid: string) =>
        (await server.post('/api/messages', { to: bob.id, cid, body: '名字 😀' }, alice.token)).body.data;
      const bytes = pngOf(300);
      const headers = { authorization: `Bearer ${alice.token}`, 'content-type': 'image/png' };
      const uploaded = await fetch(`${first.url}/api/pictures`, { method: 'POST', headers, body: bytes });
      const { data: picture } = JSON.parse(await uploaded.text());
      const sent = await write(first, 'one');
      const { seq } = await device.first(({ type }) => type === 'event');
      device.send({ type: 'ack', seq });
      await device.roundTrip();
      device.ws.terminate();
      const missed = await write(first, 'two');
      await first.kill();

      await using copy = startCommand({ ...before, ...after }, ['copy']);
      const { code, output, errors } = await copy.ended;
      assert.deepEqual([code, errors], [0, '']);
      assert.match(output, /^messages +2 {2}[0-9a-f]{16}$/m);

      await using second = await startServer({ ...after });
      const next = await connect(second);
      const { data } = await next.hello({ token: bob.token, seq, epoch: welcome.data.epoch });
      assert.deepEqual([data.resumed, data.epoch], [true, welcome.data.epoch]);
      const message = await next.first(({ type, event }) => type === 'event' && event === 'message');
      // The receipt for what was acknowledged may have been stored before the second message, and has an event of its own.
      const [earliest = message] = next.unread.filter(({ type }) => type === 'event');
      assert.deepEqual([earliest.seq, message.data.n], [seq + 1, missed.n]);
      next.ws.terminate();
      assert.deepEqual(await write(second, 'one'), { ...sent, duplicate: true });
      assert.equal((await write(second, 'three')).n, missed.n + 1);
      const withPicture = { to: bob.id, cid: 'four', body: '', picture: picture.id };
      assert.equal((await second.post('/api/messages', withPicture, alice.token)).status, 200);
      const read = await fetch(`${second.url}/api/pictures/${picture.id}`, {
        headers: { authorization: `Bearer ${bob.token}` },
      });
      assert.ok(Buffer.from(await read.arrayBuffer()).equals(bytes));
      assert.match((await pushService.next(subscription.endpoint, 20_000)).text ?? '', /alice/);
    });
  });
});

async function register(server: ServerProcess, username: string): Promise<{ id: string; token: string }> {
  return (await server.post('/api/register', { username, password: 'password' })).body.data;
}

async function connect({ url }: ServerProcess): Promise<TestSocket> {
  const socket = new TestSocket(new WebSocket(`${url.replace('http', 'ws')}/ws`));
  await once(socket.ws, 'open');
  return socket;
}
