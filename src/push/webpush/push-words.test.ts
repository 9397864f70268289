import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { onEachDatabase } from '../../../test/databases.ts';
import { startPushing } from '../../../test/pushing.ts';

const SECRET = 'inner-secret-4711';

onEachDatabase('the words for answers of push services', (database) => {
  for (const [status, word] of [
    [301, 'refused'],
    [400, 'refused'],
    [403, 'refused'],
    [404, 'gone'],
    [410, 'gone'],
    [413, 'too_large'],
    [429, 'rate_limited'],
    [500, 'server_error'],
    [503, 'server_error'],
  ] as const)
    test(`${status} is the word ${word}, and no text of the answer is in any answer or log line`, async (t) => {
      const { service, pushService, alice, bob, subscribe, writeAndPush, pass } = await startPushing(
        t,
        database,
      );
      const answer = { status, body: SECRET, headers: { 'x-inner': SECRET } };
      const phone = await subscribe(bob);
      pushService.answerAlways(phone.endpoint, answer);
      await writeAndPush(alice, bob);
      if (status === 404 || status === 410) {
        const again = await subscribe(bob);
        pushService.answerAlways(again.endpoint, answer);
      }
      const tested = await service.get(`/api/push/test-send?userId=${bob.id}&detail=1`, { token: bob.token });
      const log = await service.get('/api/push/log', { token: bob.token });
      assert.deepEqual(
        tested.body.data.map((entry: { status: number; detail: string }) => [entry.status, entry.detail]),
        [[status, word]],
      );
      assert.deepEqual(
        log.body.data.map((entry: { status: number; detail: string }) => [entry.status, entry.detail]),
        [
          [status, word],
          [status, word],
        ],
      );
      await pass(24 * 3_600_000);
      const after = await service.get('/api/push/log', { token: bob.token });
      for (const text of [tested.text, log.text, after.text, ...service.logLines])
        assert.ok(!text.includes(SECRET), text);
    });

  test('a failed connection is one word, without the text of the error', async (t) => {
    const { service, pushService, bob, subscribe } = await startPushing(t, database, {
      world: { resolve: () => Promise.reject(new Error(`queryA ESERVFAIL ${SECRET}`)) },
    });
    await using inner = createServer((socket) => {
      socket.on('error', () => {}).once('data', () => socket.end(`SSH-2.0-${SECRET}\r\n`));
    });
    inner.listen(0, '127.0.0.1');
    await once(inner, 'listening');
    const { port } = inner.address() as AddressInfo; // listening on TCP, so never a pipe's name
    const closed = createServer();
    closed.listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const closedPort = (closed.address() as AddressInfo).port; // as above
    await closed[Symbol.asyncDispose]();
    for (const [endpoint, word] of [
      [`http://127.0.0.1:${port}/a`, 'protocol'],
      [`https://127.0.0.1:${port}/a`, 'tls'],
      [`http://127.0.0.1:${closedPort}/a`, 'connect'],
      ['https://push.example/a', 'connect'],
    ] as const) {
      await service.services.db.run`delete from push_subscriptions`;
      await subscribe(bob, { of: { ...pushService.subscribe(), endpoint } });
      const { body } = await service.get(`/api/push/test-send?userId=${bob.id}&detail=1`, {
        token: bob.token,
      });
      const [{ outcome, status, detail }] = body.data;
      assert.deepEqual([outcome, status, detail], ['failed', null, word], endpoint);
    }
    for (const line of service.logLines) assert.ok(!line.includes(SECRET), line);
  });

  test('invalid keys are the word keys_unusable', async (t) => {
    const { service, pushService, alice, bob, subscribe, writeAndPush, log } = await startPushing(
      t,
      database,
    );
    const broken = pushService.subscribe();
    for (const p256dh of ['AAAA', Buffer.alloc(65, 4).toString('base64url')]) {
      await subscribe(bob, { of: { ...broken, keys: { ...broken.keys, p256dh } } });
      await service.get(`/api/push/test-send?userId=${bob.id}`, { token: bob.token });
    }
    await subscribe(bob, { of: { ...broken, keys: { ...broken.keys, auth: 'AAAA' } } });
    await writeAndPush(alice, bob);
    assert.deepEqual(
      (await log(bob)).map(({ outcome, reason, detail }) => [outcome, reason, detail]),
      Array(3).fill(['unusable', 'keys_unusable', 'keys_unusable']),
    );
  });
});
