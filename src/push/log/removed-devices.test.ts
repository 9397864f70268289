import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onEachDatabase } from '../../../test/databases.ts';
import { startHeld } from '../../../test/held-push-service.ts';
import type { SubscriptionJson } from '../../../test/push-service.ts';
import { startPushing } from '../../../test/pushing.ts';
import { toDetail } from '../webpush/push-words.ts';

onEachDatabase('the push log of a removed device', (database) => {
  /** Two devices of Bob's, one of another session; each has a push that waits. */
  async function start(t: TestContext) {
    const pushing = await startPushing(t, database);
    const { service, pushService, alice, bob, subscribe, writeAndPush, log, pass } = pushing;
    const elsewhere = { ...bob, token: (await service.post('/api/login', bob)).body.data.token as string };
    const [stays, leaves] = [await subscribe(bob), await subscribe(elsewhere)];
    const [leaving] = await pushing.devices(bob);
    for (const { endpoint } of [stays, leaves])
      pushService.answerNext(endpoint, { status: 429, headers: { 'retry-after': '600' } });
    await writeAndPush(alice, bob);
    const entries = async () => {
      const found = (await log(bob)).filter(({ kind }) => kind === 'message');
      const ofLeaving = found.find(({ device }) => device === leaving?.id);
      const ofOther = found.find(({ device }) => device !== leaving?.id);
      assert(ofLeaving && ofOther && found.length === 2);
      return [ofLeaving, ofOther] as const;
    };
    return { ...pushing, elsewhere, leaves, entries, pass };
  }

  type Started = Awaited<ReturnType<typeof start>>;
  const ways: Record<string, (started: Started) => Promise<{ status: number }>> = {
    'is unsubscribed': ({ service, bob, leaves: { endpoint } }) =>
      service.post('/api/push/unsubscribe', { endpoint }, { token: bob.token }),
    'goes with its session': ({ service, elsewhere }) => service.post('/api/logout', {}, elsewhere),
    'becomes another user’s': ({ service, alice, leaves }) =>
      service.post('/api/push/subscribe', { userId: alice.id, subscription: leaves }, alice),
    'is no longer known to its push service': ({ service, pushService, bob, leaves }) => {
      pushService.answerAlways(leaves.endpoint, { status: 410 });
      return service.get(`/api/push/test-send?userId=${bob.id}`, { token: bob.token });
    },
  };
  for (const [way, remove] of Object.entries(ways))
    test(`says of a push that waited for it, as it ${way}, that it does not come`, async (t) => {
      const started = await start(t);
      const { entries, pass } = started;
      assert.deepEqual(
        (await entries()).map(({ outcome, status, reason }) => [outcome, status, reason]),
        Array(2).fill(['waiting', 429, 'rate_limited']),
      );
      assert.equal((await remove(started)).status, 200);
      const [removed, other] = await entries();
      const { outcome, status, reason, detail, waiting_until } = removed;
      assert.deepEqual(
        [outcome, status, reason, detail, waiting_until],
        ['gone', null, 'removed', toDetail('removed'), null],
      );
      assert.equal(other.outcome, 'waiting');
      await pass(600_000);
      assert.deepEqual(
        (await entries()).map((entry) => entry.outcome),
        ['gone', 'accepted'],
      );
    });

  for (const [status, last] of [
    [201, 'accepted'],
    [500, 'gone'],
  ] as const)
    test(`has the result of a push that was in flight: after ${status} it says ${last}`, async (t) => {
      const { service, pushService, alice, bob, subscribe, writeAndPush, pass, outcomes } =
        await startPushing(t, database);
      const held = await startHeld(t);
      const device: SubscriptionJson = held.at(pushService.subscribe());
      await subscribe(bob, { of: device });
      const first = writeAndPush(alice, bob);
      await held.answer(500);
      await first;
      assert.deepEqual(await outcomes(bob), ['waiting']);
      const second = pass(60_000);
      await held.untilHeld();
      await service.post('/api/push/unsubscribe', { endpoint: device.endpoint }, { token: bob.token });
      assert.deepEqual(await outcomes(bob), ['gone']);
      await held.answer(status);
      await second;
      assert.deepEqual(await outcomes(bob), [last]);
    });
});
