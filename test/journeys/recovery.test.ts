import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDeployment } from '../databases.ts';
import { eventually } from '../eventually.ts';
import type { Body } from '../harness.ts';
import { startSmtp } from '../smtp.ts';
import { startSockets } from '../sockets.ts';

const PUBLIC_URL = 'https://chat.example.org';
const MAILBOX = 'alice@example.org';

onEachDeployment('A user who has only their mailbox left', (database) => {
  test('gets back into their account, and ends every session of whoever has their devices', async (t) => {
    const smtp = await startSmtp(t);
    const service = await startSockets(t, database, { env: { SMTP_URL: smtp.url, PUBLIC_URL } });
    /** The first match in the latest mail, once all are sent. */
    const readMail = async (pattern: RegExp) => {
      const find = () => pattern.exec(smtp.received(MAILBOX).at(-1)?.text ?? '')?.[1];
      // The mail about a forgotten password is due within a second.
      await eventually(async () => {
        await service.mails.runDue();
        return find() !== undefined;
      });
      return find();
    };

    const alice = await service.join('alice');
    const { token } = alice;
    await service.post('/api/account/email', { email: MAILBOX, lang: 'en' }, { token });
    const code = await readMail(/Your code is (\d{8})\./);
    const verified = await service.post('/api/account/email/verify', { code }, { token });
    assert.deepEqual([verified.status, verified.body.data], [200, { email: MAILBOX }]);

    // The phone is lost, with its sessions and proofs, and the password is forgotten.
    const stolen = [
      await service.enter(alice, { node: 0 }),
      await service.enter(await service.logIn(alice), { node: 1 }),
    ];
    const forgot = await service.post('/api/password/forgot', { account: MAILBOX, lang: 'en' });
    assert.equal(forgot.status, 200);
    const link = await readMail(/https:\/\/chat\.example\.org\/set-password#(\S+)/);
    const set = await service.post('/api/password-link', { token: link, newPassword: 'only in my head' });
    assert.equal(set.status, 200);

    for (const socket of stolen) assert.equal((await socket.ended).code, 4409);
    assert.equal((await service.get('/api/sessions', { token })).status, 401);
    const { username, password } = alice;
    assert.equal((await service.post('/api/login', { username, password })).body.error, 'wrong_password');
    const again = await service.post('/api/login', { username: MAILBOX, password: 'only in my head' });
    assert.deepEqual([again.status, again.body.data.id], [200, alice.id]);
    const { body } = await service.get('/api/sessions', { token: again.body.data.token });
    assert.equal(body.data.length, 1);
    await readMail(/^(The password of alice was changed at )/);

    const { items } = (await service.get('/api/account/log', { token: again.body.data.token })).body.data;
    const acts = items.map(({ what, detail }: Body) => (what === 'mail' ? `mail ${detail.kind}` : what));
    assert.deepEqual(acts.sort(), [
      'email_verified',
      'mail forgot',
      'mail password_changed',
      'mail verify',
      'password_reset',
      'signed_in',
      'signed_in',
      'signed_up',
    ]);
  });
});
