import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { checkDatabase } from '../../src/commands/checks/database-checks.ts';
import { makeKey } from '../api-key.ts';
import { ManualClock } from '../clocks.ts';
import { runCommand } from '../commands.ts';
import { readDataDocument } from '../data-document.ts';
import { databaseEnv, onEachDeployment, type TestDatabase } from '../databases.ts';
import { eventually } from '../eventually.ts';
import type { Call, Person } from '../harness.ts';
import { codeIn } from '../mailed.ts';
import { pngOf } from '../pictures-of-noise.ts';
import { pictureCall } from '../picturing.ts';
import { startPushService } from '../push-service.ts';
import { startSmtp } from '../smtp.ts';
import { startSockets } from '../sockets.ts';
import { findMarks, type Mark } from '../stored-marks.ts';

const HOUR_MS = 60 * 60 * 1000;
const GRACE_MS = 30 * 24 * HOUR_MS;

/** What is Mona's alone, so that wherever it is stored, something of hers is. */
const TEXTS = {
  username: 'markaname',
  nickname: 'markbnick',
  'address in the profile': 'markc@profile.example',
  phone: '+49 30 4444444',
  bio: 'markdbio',
  'verified address': 'marke@mailbox.example',
  'address to be verified': 'markf@pending.example',
  'User-Agent': 'markg-agent',
  'network address': '203.0.113.77',
  'time zone': 'Pacific/Chatham',
  'text of a message': 'markhtext',
  'text to someone who is erased too': 'markitext',
  'text of a report': 'markjreport',
  'text of a decided report': 'markkreport',
} as const;

/** Where marks may stay: with living peers. */
const STAYS: Record<string, string[]> = {
  'text of a message': ['messages.body'],
  'picture of a message': ['picture_pieces.bytes'],
};

async function start(t: TestContext, database: TestDatabase) {
  const clock = new ManualClock();
  const now = clock.world.now;
  const [smtp, pushService] = [await startSmtp(t), await startPushService({ now })];
  t.after(() => pushService[Symbol.asyncDispose]());
  let command: Record<string, string> = {};
  const service = await startSockets(t, database, {
    world: clock.world,
    env: (_node, settings) => {
      command = databaseEnv(settings);
      return {
        SMTP_URL: smtp.url,
        PUBLIC_URL: 'https://chat.example.org',
        PUSH_ALLOW_PRIVATE: '1',
        TOKEN_TTL: '180d',
      };
    },
  });
  const { db, push } = service.services;

  async function as(by: { token: string } | undefined, path: string, body: object, call: Call = {}) {
    const answer = await service.post(path, body, { ...by, ...call });
    assert.equal(answer.status, 200, `${path}: ${answer.text}`);
    return answer.body.data;
  }
  const operate = async (...words: string[]) => {
    const { code, output, errors } = await runCommand(
      { ...command, PUBLIC_URL: 'https://chat.example.org' },
      words,
    );
    assert.equal(code, 0, errors);
    return output;
  };
  /** Moves the time, and runs each periodic job that is due then once. */
  const pass = async (ms: number) => {
    clock.add(ms);
    await clock.advance(0);
  };

  const mona: Person = {
    ...{ id: '', username: TEXTS.username, password: 'password of mona', token: '' },
  };
  const phone = {
    headers: { 'user-agent': TEXTS['User-Agent'], 'device-proof': 'none' },
    from: TEXTS['network address'],
  };
  Object.assign(
    mona,
    await as(undefined, '/api/register', { username: mona.username, password: mona.password }, phone),
  );
  const [bob, carl, dora, eve] = [
    await service.join('bob'),
    await service.join('carl'),
    await service.join('dora'),
    await service.join('eve'),
  ];
  const marks = new Map<string, Mark>(Object.entries(TEXTS));
  const filled = new Set<string>();
  /** Notes the tables that have a row of Mona. */
  const look = async () => {
    const { id: columns = [] } = await findMarks(db, [['id', mona.id]]);
    for (const column of columns) filled.add(column.split('.')[0] ?? '');
    const pieces =
      await db.get`select id from picture_pieces where id in (select id from pictures where owner_id = ${mona.id})`;
    if (pieces) filled.add('picture_pieces');
  };

  return {
    service,
    db,
    smtp,
    pushService,
    push,
    mona,
    bob,
    carl,
    dora,
    eve,
    marks,
    filled,
    look,
    as,
    operate,
    pass,
    phone,
    send: (from: Person, to: Person, fields: object) =>
      as(from, '/api/messages', { to: to.id, cid: crypto.randomUUID(), body: '', ...fields }),
  };
}

/** Fills every table for Mona by the interface. */
async function live(started: Awaited<ReturnType<typeof start>>): Promise<void> {
  const {
    service,
    db,
    smtp,
    pushService,
    push,
    mona,
    bob,
    carl,
    dora,
    eve,
    marks,
    as,
    operate,
    send,
    phone,
    look,
    pass,
  } = started;
  await as(mona, '/api/login', { username: mona.username, password: mona.password }, phone);

  // Who they are.
  await as(mona, '/api/user/profile', {
    ...{
      nickname: TEXTS.nickname,
      email: TEXTS['address in the profile'],
      phone: TEXTS.phone,
      bio: TEXTS.bio,
    },
  });
  const upload = async (path: string, pixels: number) => {
    const answer = await service.call('POST', path, pictureCall(mona, pngOf(pixels)));
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data;
  };
  await upload('/api/user/avatar', 32);
  await as(mona, '/api/account/email', { email: TEXTS['verified address'], lang: 'en' });
  const verification = () => smtp.received(TEXTS['verified address']).at(-1)?.text;
  await eventually(async () => {
    await service.mails.runDue();
    return verification() !== undefined;
  });
  await as(mona, '/api/account/email/verify', { code: codeIn(verification() ?? '') });
  smtp.answerAlways({ at: 'rcpt', code: 451 });
  await as(mona, '/api/account/email', { email: TEXTS['address to be verified'], lang: 'en' });
  await operate('user', 'link', mona.username);

  // Whom they know.
  const refused = await service.post('/api/user/block', { blockedId: dora.id }, mona);
  assert.equal(refused.status, 200);
  await as(mona, '/api/user/unblock', { blockedId: dora.id });
  await as(bob, '/api/friends/request', { userId: mona.id });
  await as(mona, '/api/friends/accept', { userId: bob.id });
  await as(eve, '/api/user/privacy', { messages: 'requests' });
  const message = { body: TEXTS['text of a message'] };
  await send(mona, eve, message);
  const picture = await upload('/api/pictures', 24);
  await send(mona, bob, { ...message, picture: picture.id });
  await upload('/api/pictures', 20);
  await send(bob, mona, { body: 'from bob' });
  await send(mona, dora, { body: TEXTS['text to someone who is erased too'] });
  await send(dora, mona, { body: 'from dora' });
  await as(mona, '/api/user/privacy', { messages: 'requests' });
  await send(carl, mona, { body: 'from carl' });
  await as(mona, '/api/conversations/settings', { peer: bob.id, pinned: 1 });
  await as(bob, '/api/messages/react', { peer: mona.id, n: 1, emoji: '👍' });
  await as(mona, '/api/messages/mark', { peer: bob.id, read: 2 });

  // Reports, of which one is decided on, and one is by a peer.
  await as(mona, '/api/report', {
    userId: carl.id,
    reason: 'spam',
    text: TEXTS['text of a report'],
    messages: [1],
  });
  const decided = await as(mona, '/api/report', {
    userId: dora.id,
    reason: 'abuse',
    text: TEXTS['text of a decided report'],
    messages: [1, 2],
  });
  await operate('report', decided.id, '--act', 'dismiss', '--note', 'nothing');
  await as(bob, '/api/report', { userId: mona.id, reason: 'other', messages: [1] });
  await as(mona, '/api/user/block', { blockedId: carl.id });
  await as(eve, '/api/user/block', { blockedId: mona.id });

  // Notifications: one that was sent, one that its push service refused for now, one that is not decided on yet.
  const subscribe = async () => {
    const subscription = pushService.subscribe(push.vapidKeys.publicKey);
    await as(mona, '/api/push/subscribe', { userId: mona.id, subscription }, { headers: phone.headers });
    return subscription;
  };
  const gone = await subscribe();
  await send(bob, mona, { body: 'rings' });
  await pass(10_000);
  await service.pushes.runDue();
  await as(mona, '/api/push/unsubscribe', { endpoint: gone.endpoint });
  const { endpoint, keys } = await subscribe();
  marks.set('address of a device', endpoint).set('key of a device', keys.auth);
  pushService.answerAlways(endpoint, { status: 503 });
  await send(bob, mona, { body: 'waits' });
  await pass(10_000);
  await service.pushes.runDue();
  await as(mona, '/api/user/quiet', {
    timeZone: TEXTS['time zone'],
    windows: [{ days: [1], from: '03:00', to: '03:05' }],
  });
  const socket = await service.enter(mona);
  socket.ws.close();
  await socket.ended;
  await pass(60_000);
  const key = await makeKey(service);
  await as(key, '/api/admin/messages', {
    messages: [{ from: mona.id, to: bob.id, cid: 'by key', body: message.body }],
  });
  await send(bob, mona, { body: 'is pending' });

  // What of pictures is stored, which are written anew.
  const bytesOf = async (column: 'avatar' | 'sent' | 'unsent') => {
    const row =
      column === 'avatar'
        ? await db.get<{ bytes: Uint8Array }>`select bytes from avatars where user_id = ${mona.id}`
        : await db.get<{ bytes: Uint8Array }>`
            select bytes from picture_pieces join pictures on pictures.id = picture_pieces.id
            where owner_id = ${mona.id} and (low_id is null) = (${column} = 'unsent')`;
    assert.ok(row, column);
    return Buffer.from(row.bytes).subarray(60, 100);
  };
  marks.set('picture of the profile', await bytesOf('avatar'));
  marks.set('picture of a message', await bytesOf('sent'));
  marks.set('picture that was not sent', await bytesOf('unsent'));
  assert.deepEqual(Object.keys(await findMarks(db, marks)), [...marks.keys()], 'each is stored');
  assert.ok(marks.size >= 12);
  await look();
}

onEachDeployment('An erased user', (database) => {
  for (const way of ['asks for it', 'is deleted by an API key'] as const)
    test(`who ${way} leaves nothing but what living peers have`, async (t) => {
      const started = await start(t, database);
      const { service, db, mona, bob, carl, dora, eve, marks, filled, look, as, operate, pass } = started;
      await live(started);
      const left = () => findMarks(db, marks);
      const key = await makeKey(service, 'of this test');
      const remove = ({ id }: Person) => as(key, '/api/admin/users/delete', { userId: id });
      if (way === 'asks for it') {
        await as(mona, '/api/account/confirm', { password: mona.password });
        await as(mona, '/api/account/delete', {});
        const login = await service.post('/api/login', { username: mona.username, password: mona.password });
        assert.equal(login.body.error, 'account_leaving');
        await operate('user', 'suspend', mona.username, '--reason', 'a reason');
        await look();
        const person = readDataDocument().tables.filter(({ lead }) => !lead.includes('About no one'));
        const missing = person.map(({ table }) => table).filter((table) => !filled.has(table));
        assert.deepEqual(
          missing,
          ['erasures', 'device_proofs'].slice(0, 1),
          'tables that the test does not fill',
        );
        await pass(GRACE_MS + HOUR_MS);
      } else await remove(mona);
      await eventually(async () => {
        await pass(5_000);
        const found = await left();
        return !('username' in found || 'picture that was not sent' in found);
      });
      const withDora = { 'text to someone who is erased too': ['messages.body'] };
      assert.deepEqual(await left(), { ...STAYS, ...withDora });

      // Nothing comes back by what peers do.
      await as(bob, '/api/messages/mark', { peer: mona.id, read: 3 });
      await service.post('/api/messages/unsend', { peer: mona.id, n: 2 }, bob);
      await service.post('/api/messages/react', { peer: mona.id, n: 1, emoji: '👎' }, bob);
      await service.post('/api/messages', { to: mona.id, cid: 'late', body: 'late' }, bob);
      await service.post('/api/friends/request', { userId: mona.id }, bob);
      await service.post('/api/login', { username: mona.username, password: mona.password });
      await service.post('/api/password/forgot', { account: mona.username });
      assert.equal(
        (await service.post('/api/register', { username: mona.username.toUpperCase(), password: 'secret' }))
          .body.error,
        'username_taken',
      );
      await service.post('/api/user/block', { blockedId: mona.id }, dora);
      await pass(2 * HOUR_MS);
      assert.deepEqual(await db.all`select * from inbox where user_id = ${mona.id}`, []);
      await service.mails.runDue();
      const { 'text of a message': text, ...others } = await left();
      assert.deepEqual({ 'text of a message': text, ...others }, { ...STAYS, ...withDora });
      const faults = async () => {
        const found: string[] = [];
        for await (const finding of checkDatabase(db)) found.push(...finding.faults);
        return found;
      };
      assert.deepEqual(await faults(), []);
      for (const line of service.logLines)
        for (const [name, mark] of marks)
          assert.ok(typeof mark !== 'string' || !line.includes(mark), `${name} is in the log: ${line}`);

      // Messages of two erased users are those of no one.
      await remove(dora);
      await eventually(async () => {
        await pass(5_000);
        return !('text to someone who is erased too' in (await left()));
      });
      assert.deepEqual(await left(), STAYS);
      for (const person of [bob, carl, eve]) await remove(person);
      await eventually(async () => {
        await pass(5_000);
        return Object.keys(await left()).length === 0;
      }).catch(() => {});
      assert.deepEqual(await left(), {});
      assert.deepEqual(await db.all`select user_id from conversations`, []);
      assert.deepEqual(await faults(), []);
    });
});
