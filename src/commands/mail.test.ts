import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand } from '../../test/commands.ts';
import { startSmtp } from '../../test/smtp.ts';

const PUBLIC_URL = 'https://chat.example.org';

test('mail test sends a mail to the address', async (t) => {
  const smtp = await startSmtp(t, { password: 'geheim' });
  const env = { SMTP_URL: smtp.url, PUBLIC_URL, MAIL_FROM: 'Chat <chat@example.org>' };
  assert.deepEqual(await runCommand(env, ['mail', 'test', 'ops@例え.jp']), {
    code: 0,
    output: `${new URL(smtp.url).host} took the mail to ops@xn--r8jz45g.jp from chat@example.org\n`,
    errors: '',
  });
  const [mail] = smtp.received();
  assert.equal(mail?.headers.to, 'ops@xn--r8jz45g.jp');
  assert.equal(mail?.subject, 'Test mail of chat.example.org');
  assert.match(mail?.text ?? '', /https:\/\/chat\.example\.org$/m);
  assert.match(mail?.headers.from ?? '', /^Chat <chat@example\.org>$/);
});

test('mail test says why a mail could not be sent, without the password', async (t) => {
  const smtp = await startSmtp(t, { password: 'geheim' });
  const { host } = new URL(smtp.url);
  const send = (SMTP_URL: string, address = 'ops@example.org') =>
    runCommand({ SMTP_URL, PUBLIC_URL }, ['mail', 'test', address]);
  const start = 'the mail to ops@example.org could not be sent: ';
  const wrong = await send(smtp.url.replace('geheim', 'falsch'));
  assert.deepEqual([wrong.code, wrong.output], [1, '']);
  assert.match(wrong.errors, new RegExp(`^${start}Invalid login: 535 `));
  assert.doesNotMatch(wrong.errors, /falsch/);
  smtp.answerNext({ at: 'rcpt', code: 550 });
  assert.match((await send(smtp.url)).errors, /550 refused by the test at rcpt/);
  await smtp.goAway();
  assert.deepEqual(await send(smtp.url), {
    code: 1,
    output: '',
    errors: `${start}connect ECONNREFUSED ${host}\n`,
  });
  const bad = await send(smtp.url, 'a@x.org, b@y.org');
  assert.deepEqual(bad, {
    code: 1,
    output: '',
    errors: 'a@x.org, b@y.org is no e-mail address that gets mail\n',
  });
});

test('mail test needs SMTP_URL and an address', async () => {
  const off = await runCommand({ PUBLIC_URL }, ['mail', 'test', 'ops@example.org']);
  assert.deepEqual([off.code, off.errors], [1, 'SMTP_URL is not set: the server sends no mail\n']);
  for (const words of [['mail'], ['mail', 'test'], ['mail', 'send', 'ops@example.org']])
    assert.equal((await runCommand({ PUBLIC_URL }, words)).code, 2);
});
