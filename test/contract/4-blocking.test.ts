import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDeployment } from '../databases.ts';
import { shareService, startService } from '../harness.ts';

onEachDeployment('4 Endpoints: blocking', (database) => {
  const shared = shareService(database);

  test('4.10 POST /api/user/block: answers the entry, and the entry appears in the list', async (t) => {
    const now = 1_760_000_000_000;
    const service = await startService(t, database, { world: { now: () => now } });
    const alice = await service.join('alice');
    const bob = await service.join('bob');
    const { status, body } = await service.post(
      '/api/user/block',
      { blockedId: bob.id },
      { token: alice.token },
    );
    assert.equal(status, 200);
    const { message, ...rest } = body;
    assert.ok(typeof message === 'string' && message !== '');
    const entry = { id: bob.id, username: 'bob', avatar: '', create_time: now };
    assert.deepEqual(rest, { code: 200, data: entry });
    const list = await service.get('/api/user/blocked', { token: alice.token });
    assert.deepEqual(list.body, { code: 200, data: [entry] });
  });

  for (const name of ['block', 'unblock'])
    test(`4.1${name === 'block' ? 0 : 1} POST /api/user/${name}: the caller's own id and invalid ids are 400, an unknown id 404`, async () => {
      const {
        service,
        alice: { id, token },
      } = await shared();
      const send = async (body: object) => {
        const answer = await service.post(`/api/user/${name}`, body, { token });
        assert.equal(answer.status, answer.body.code);
        assert.equal(typeof answer.body.msg, 'string');
        return answer.status;
      };
      assert.equal(await send({ blockedId: id }), 400);
      for (const blockedId of [undefined, null, '', 5, true, [id], {}])
        assert.equal(await send({ blockedId }), 400);
      for (const blockedId of ['nobody', '😀', id.toUpperCase(), 'x'.repeat(1000)])
        assert.equal(await send({ blockedId }), 404);
      assert.deepEqual((await service.get('/api/user/blocked', { token })).body.data, []);
    });

  test('4.11 POST /api/user/unblock: answers code and message', async (t) => {
    const service = await startService(t, database);
    const alice = await service.join('alice');
    const bob = await service.join('bob');
    const call = { token: alice.token };
    await service.post('/api/user/block', { blockedId: bob.id }, call);
    const { status, body } = await service.post('/api/user/unblock', { blockedId: bob.id }, call);
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body).sort(), ['code', 'message']);
    assert.equal(body.code, 200);
    assert.deepEqual((await service.get('/api/user/blocked', call)).body, { code: 200, data: [] });
  });

  test("4.12 GET /api/user/blocked: the caller's entries, newest first", async (t) => {
    let now = 1_760_000_000_000;
    const service = await startService(t, database, { world: { now: () => now } });
    const alice = await service.join('alice');
    const others = [];
    for (const name of ['bob', 'carol', 'dave', 'erin']) others.push(await service.join(name));
    const [bob, carol, dave, erin] = others;
    for (const one of [carol, erin, bob, dave]) {
      now += 1000;
      await service.post('/api/user/block', { blockedId: one?.id }, { token: alice.token });
    }
    const { body } = await service.get('/api/user/blocked', { token: alice.token });
    assert.deepEqual(body, {
      code: 200,
      data: [
        { id: dave?.id, username: 'dave', avatar: '', create_time: 1_760_000_004_000 },
        { id: bob?.id, username: 'bob', avatar: '', create_time: 1_760_000_003_000 },
        { id: erin?.id, username: 'erin', avatar: '', create_time: 1_760_000_002_000 },
        { id: carol?.id, username: 'carol', avatar: '', create_time: 1_760_000_001_000 },
      ],
    });
  });
});
