import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/clocks.ts';
import { onEachDatabase } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import { startSockets } from '../../test/sockets.ts';

onEachDatabase('an acknowledged message', (database) => {
  test('is seen if the device is attentive, else only received', async (t) => {
    // On a clock that does not move the pending push is never decided, so only the acknowledgement can remove it.
    const service = await startSockets(t, database, { world: new ManualClock().world });
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const {
      db,
      presence: { online },
    } = service.services;
    const socket = await service.connect();
    await socket.hello({ token: alice.token, device: 'phone' });
    assert.equal(online.mayBeAttentive(alice.id), true);
    const his = await service.enter(bob);
    await his.ask({ type: 'send', to: alice.id, cid: 'c1', body: 'hi' });
    await socket.first(({ event }) => event === 'message');
    const pending = async () =>
      (await db.all`select user_id from push_pending where user_id = ${alice.id} and count > 0`).length;
    assert.equal(await pending(), 1);
    await socket.ask({ type: 'view', visible: true, active: false });
    assert.equal(online.mayBeAttentive(alice.id), false);
    await socket.ask({ type: 'view', visible: true, active: true });
    await socket.ask({ type: 'ack', seq: 1 });
    await eventually(async () => (await pending()) === 0);
    const log = await service.get('/api/push/log', { token: alice.token });
    assert.match(JSON.stringify(log.body.data), /phone/, 'the log says which device saw it');
    socket.ws.close();
    await socket.ended;
    await eventually(() => !online.mayBeAttentive(alice.id));
  });
});
