import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onEachDeployment } from '../../../test/databases.ts';
import { startService } from '../../../test/harness.ts';
import { endLinkToken } from './end-by-link.ts';

onEachDeployment('POST /api/sessions/end-by-link', (database) => {
  /** A service with alice, who is signed in twice. */
  async function start(t: TestContext) {
    const service = await startService(t, database);
    const { id, username, password, token } = await service.join('alice');
    const headers = { 'user-agent': 'A stranger' };
    const login = await service.post('/api/login', { username, password }, { headers });
    const stranger = String(login.body.data.token);
    const { body } = await service.get('/api/sessions', { token: stranger });
    const session = String(body.data.find(({ current }: { current: number }) => current === 1).id);
    return {
      service,
      id,
      token,
      stranger,
      session,
      link: endLinkToken(service.services.accounts.mac, session),
      end: async (link: string) => {
        const sent = { headers: { 'accept-language': 'en' } };
        const { status, body } = await service.post('/api/sessions/end-by-link', { token: link }, sent);
        return [status, body.error ?? body.message];
      },
      statusOf: async (as: string) => (await service.get('/api/sessions', { token: as })).status,
    };
  }

  const REFUSED = [400, 'link_invalid'];

  test('the link ends its session and no other, once, without a token', async (t) => {
    const { service, id, token, stranger, session, link, end, statusOf } = await start(t);
    assert.deepEqual(await end(link), [200, 'The session is ended']);
    assert.deepEqual([await statusOf(stranger), await statusOf(token)], [401, 200]);
    assert.deepEqual(await end(link), REFUSED);
    const { db } = service.services;
    const { data } = (await db.get<{ data: string }>`
      select data from inbox where user_id = ${id} and event = 'sessions'`) ?? { data: '' };
    assert.deepEqual(JSON.parse(data), { ended: [session] });
    const acts = await db.all<{ session_id: string; address: string; data: string }>`
      select session_id, address, data from account_log where user_id = ${id} and what = 'session_ended'`;
    const detail = JSON.stringify({ device: 'A stranger' });
    assert.deepEqual(acts, [{ session_id: session, address: '127.0.0.1', data: detail }]);
    assert.ok(service.logLines.some((line) => line.includes('"session_ended"') && line.includes(id)));
  });

  test('of several calls at once one ends it', async (t) => {
    const { link, end } = await start(t);
    const statuses = (await Promise.all(Array.from({ length: 5 }, () => end(link)))).map(
      ([status]) => status,
    );
    assert.deepEqual(statuses.sort(), [200, 400, 400, 400, 400]);
  });

  test('what is no such link is refused, and ends nothing', async (t) => {
    const { service, session, stranger, link, end, statusOf } = await start(t);
    const { mac } = service.services.accounts;
    const changed = `${link.slice(0, -1)}${link.endsWith('A') ? 'B' : 'A'}`;
    const ofOtherUse = `${session}.${mac('code', session)}`;
    for (const token of [
      session,
      `${session}.`,
      changed,
      `${link}.`,
      `${link}A`,
      `.${link}`,
      ofOtherUse,
      stranger,
      '.',
    ])
      assert.deepEqual(await end(token), REFUSED, token);
    const unknown = '0199aaaa-0000-7000-8000-000000000000';
    assert.deepEqual(await end(endLinkToken(mac, unknown)), REFUSED);
    assert.equal(await statusOf(stranger), 200);
  });
});
