import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildRequest } from '../src/push/webpush/client.ts';
import type { PushRequest } from '../src/push/webpush/request.ts';
import { makeVapidKeys, openVapid, type VapidSigner } from '../src/push/webpush/vapid.ts';
import { type SubscriptionJson, startPushService } from './push-service.ts';

function makeVapid(now = Date.now): VapidSigner {
  return openVapid({ keys: makeVapidKeys(), subject: 'mailto:admin@example.com', now });
}

async function build(
  { endpoint, keys }: SubscriptionJson,
  vapid: VapidSigner,
  text = 'hi',
): Promise<PushRequest> {
  const payload = Buffer.from(text);
  return buildRequest({
    endpoint,
    ...keys,
    vapid,
    payload,
    topic: 'chat',
  });
}

async function post({ endpoint, headers, body }: PushRequest): Promise<string> {
  const response = await fetch(endpoint, { method: 'POST', headers, body: Buffer.from(body) });
  return `${response.status} ${await response.text()}`.trim();
}

test('a valid push is accepted, decrypted and recorded', async () => {
  await using service = await startPushService();
  const vapid = makeVapid();
  const subscription = service.subscribe(vapid.publicKey);
  assert.equal(await post(await build(subscription, vapid, 'Grüße, 你好')), '201');
  const push = await service.next(subscription.endpoint, 1_000);
  assert.equal(push.text, 'Grüße, 你好');
  assert.equal(push.headers.ttl, '86400');
  assert.equal(push.headers.urgency, 'high');
  assert.equal(push.headers.topic, 'chat');
  assert.deepEqual(service.received(subscription.endpoint), [push]);
});

test('an invalid push is refused, with the reason', async () => {
  await using service = await startPushService();
  const vapid = makeVapid();
  const subscription = service.subscribe(vapid.publicKey);
  const good = await build(subscription, vapid);
  const { ttl: _, ...withoutTtl } = good.headers;
  const { authorization: __, ...withoutVapid } = good.headers;
  const withHeaders = (headers: Record<string, string>) =>
    post({ ...good, headers: { ...good.headers, ...headers } });

  assert.equal(await post({ ...good, headers: withoutTtl }), '400 TTL');
  assert.equal(await withHeaders({ urgency: 'now' }), '400 urgency');
  assert.equal(await withHeaders({ topic: 'x'.repeat(33) }), '400 topic');
  assert.equal(await withHeaders({ 'content-encoding': 'aesgcm' }), '415 content encoding');
  assert.equal(await post({ ...good, headers: withoutVapid }), '403 no VAPID header');
  assert.equal(await post(await build(subscription, makeVapid())), '403 another key');
  assert.equal(await withHeaders({ authorization: vapid.header('https://push.example.net') }), '403 aud');
  assert.equal(await post({ ...good, body: Buffer.alloc(4097) }), '413 body too large');
  const changed = Buffer.from(good.body);
  changed[90] = changed.readUInt8(90) ^ 1;
  assert.equal(await post({ ...good, body: changed }), '400 body does not decrypt');
  assert.equal(await post({ ...good, endpoint: `${service.origin}/push/none` }), '404 no such subscription');

  const other = service.subscribe();
  const otherVapid = makeVapid(() => Date.now() - 19 * 3_600_000);
  assert.equal(await post(await build(other, otherVapid)), '403 expired');
  assert.equal(
    await post(
      await build(
        other,
        makeVapid(() => Date.now() + 7 * 3_600_000),
      ),
    ),
    '403 exp too far ahead',
  );
  assert.equal(service.received(subscription.endpoint).length, 0);
  assert.equal(service.attempts(subscription.endpoint).length, 9);
});

test('a subscription answers as the test sets it: next time, or from now on', async () => {
  await using service = await startPushService();
  const vapid = makeVapid();
  const subscription = service.subscribe();
  const { endpoint } = subscription;
  service.answerNext(endpoint, { status: 429, headers: { 'retry-after': '7' }, body: 'slow down' });
  service.answerNext(endpoint, { status: 202 });
  assert.equal(await post(await build(subscription, vapid)), '429 slow down');
  assert.equal(await post(await build(subscription, vapid)), '202');
  assert.equal(await post(await build(subscription, vapid)), '201');
  service.answerAlways(endpoint, { status: 410 });
  assert.equal(await post(await build(subscription, vapid)), '410');
  assert.equal(await post(await build(subscription, vapid)), '410');
  assert.deepEqual(
    service.attempts(endpoint).map(({ status }) => status),
    [429, 202, 201, 410, 410],
  );
  assert.equal(service.received(endpoint).length, 2);
});

test('next returns each push once, in order, and fails when none arrives', async () => {
  await using service = await startPushService();
  const vapid = makeVapid();
  const subscription = service.subscribe();
  const { endpoint } = subscription;
  const both = Promise.all([service.next(endpoint, 1_000), service.next(endpoint, 1_000)]);
  await post(await build(subscription, vapid, 'one'));
  await post(await build(subscription, vapid, 'two'));
  assert.deepEqual(
    (await both).map(({ text }) => text),
    ['one', 'two'],
  );
  await assert.rejects(service.next(endpoint, 10), { message: 'No push within 10 ms' });
});
