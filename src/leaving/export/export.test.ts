import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openConnection } from '../../../test/bad-input/raw-connection.ts';
import { runCommand } from '../../../test/commands.ts';
import { onEachDatabase, onEachDeployment } from '../../../test/databases.ts';
import { eventually } from '../../../test/eventually.ts';
import { linesOf, SECRETS, startExporting } from '../../../test/exporting.ts';
import type { Body } from '../../../test/harness.ts';
import { exportLines } from './export-lines.ts';

const MINUTE_MS = 60_000;
const ORDER = [
  ...['export', 'profile', 'settings', 'account', 'session', 'push_device', 'block', 'friend', 'report'],
  ...['person', 'conversation', 'message', 'picture', 'event', 'push_log', 'account_log', 'end'],
];

onEachDeployment('An export', (database) => {
  test('has all that is stored of a user, in its order, and what others sent to them', async (t) => {
    const { service, alice, bob, fill, ticketOf, get, now } = await startExporting(t, database);
    await fill();
    const { status, headers, text } = await get(await ticketOf());
    assert.equal(status, 200);
    const day = new Date(now()).toISOString().slice(0, 10);
    assert.deepEqual(
      ['content-type', 'content-disposition', 'cache-control'].map((name) => headers[name]),
      [
        'application/x-ndjson; charset=utf-8',
        `attachment; filename="doorman-alice-${day}.jsonl"; filename*=UTF-8''doorman-alice-${day}.jsonl`,
        'no-store',
      ],
    );
    const lines = linesOf(text);
    const types = lines.map(({ type }) => type);
    // Each conversation comes with its messages.
    assert.deepEqual([...new Set(types)], ORDER);
    assert.deepEqual(lines[0], { type: 'export', version: 1, user: alice.id, at: now() });
    assert.deepEqual(lines.at(-1), { type: 'end', lines: lines.length });

    const of = (type: string) =>
      lines.flatMap(({ type: own, ...line }: Body) => (own === type ? [line] : []));
    const read = async (path: string) => (await service.get(path, { token: alice.token })).body;
    const conversations = of('conversation');
    const ids = conversations.map(({ peer }) => peer);
    assert.deepEqual([...ids], [...ids].sort());
    for (const { peer, n } of conversations) {
      const { items } = (await read(`/api/messages?peer=${peer}&limit=100`)).data;
      const messages = of('message').filter((message) => message.peer === peer);
      assert.deepEqual(
        messages.map(({ peer: _, ...message }) => message),
        items,
      );
      assert.equal(messages.at(-1)?.n, n);
    }
    const listed = (await read('/api/conversations')).data;
    for (const { peer, last: _, ...entry } of listed)
      assert.deepEqual(
        (({ n: _n, peer: _p, ...own }: Body) => own)(conversations.find((one) => one.peer === peer)),
        entry,
      );
    assert.deepEqual(
      conversations.flatMap(({ request }) => request ?? []),
      ['waiting'],
    );
    assert.deepEqual(of('account_log'), (await read('/api/account/log')).data.items);
    assert.deepEqual(of('push_log'), (await read('/api/push/log')).data);
    assert.deepEqual(
      of('session'),
      (await read('/api/sessions')).data.map(({ current, active, ...session }: Body) => session),
    );
    const [settings] = of('settings');
    assert.deepEqual(
      [settings.quiet, settings.privacy],
      [(await read('/api/user/quiet')).data, (await read('/api/user/privacy')).data],
    );
    const names = new Map(of('person').map(({ id, username, nickname }) => [id, [username, nickname]]));
    assert.deepEqual(names.get(bob.id), ['bob', 'Bob']);
    // A former friend is named by events alone.
    assert.deepEqual([...names.values()].map(([name]) => name).sort(), [
      'bob',
      'carol',
      'dave',
      'erin',
      'frank',
    ]);
    assert.equal(names.size, of('person').length);
    const pictures = of('picture');
    assert.deepEqual(
      pictures.map(({ use, peer }) => [use, peer]),
      [
        ['profile', undefined],
        ['message', bob.id],
      ],
    );
    const stored = await service.get(`/api/pictures/${pictures[1]?.id}`, { token: alice.token });
    assert.equal(pictures[1]?.base64, stored.bytes?.toString('base64'));
    for (const secret of [...SECRETS, alice.token, 'never said', 'deleted for me', '$2b$'])
      assert.ok(!text.includes(secret), secret);
  });

  test('a user runs one download on all nodes', async (t) => {
    const { service, alice, bob } = await startExporting(t, database);
    const [first, last] = [service.nodes[0], service.nodes.at(-1)];
    assert.ok(first && last);
    const end = await first.services.limits.exports.begin(alice.id);
    await assert.rejects(last.services.limits.exports.begin(alice.id), { word: 'too_many_exports' });
    (await last.services.limits.exports.begin(bob.id))();
    end();
    await eventually(() =>
      last.services.limits.exports.begin(alice.id).then(
        () => true,
        () => false,
      ),
    );
  });
});

onEachDatabase('A download', (database) => {
  test('takes a ticket of a confirmed session, once, within a minute', async (t) => {
    const { service, clock, db, alice, ask, ticketOf, get, now } = await startExporting(t, database);
    const refused = { code: 404, error: 'export_not_found', msg: '下载链接已失效，请重新获取' };
    const { ticket, expires } = (await ask()).body.data;
    assert.equal(expires, now() + MINUTE_MS);
    assert.match(ticket, /^[\w-]{43}$/);
    const head = await service.call('HEAD', `/api/account/export?ticket=${ticket}`);
    assert.deepEqual([head.status, (await get(ticket)).status], [404, 200], 'HEAD is no download');
    assert.deepEqual((await get(ticket)).body, refused, 'used');
    for (const other of ['x', 'x'.repeat(43)]) assert.deepEqual((await get(other)).body, refused);
    assert.equal((await service.get('/api/account/export')).status, 400);
    const late = await ticketOf();
    clock.add(MINUTE_MS);
    assert.deepEqual((await get(late)).body, refused, 'expired');
    await db.run`update tickets set kind = 'keep', expires_at = ${now() + MINUTE_MS}`;
    assert.deepEqual((await get(late)).body, refused, 'of another kind');
    assert.equal((await service.post('/api/account/export', {})).status, 401);
    clock.add(5 * MINUTE_MS);
    const unconfirmed = await ask();
    assert.deepEqual([unconfirmed.status, unconfirmed.body.error], [403, 'confirm_required']);
    assert.equal(
      (await service.post('/api/account/confirm', { password: alice.password }, alice)).status,
      200,
    );
    await ticketOf();
  });

  test('names also who is in an entry of the account log alone', async (t) => {
    const { db, alice, carol, post, now } = await startExporting(t, database);
    for (const path of ['block', 'unblock'])
      assert.equal((await post(alice, `/api/user/${path}`, { blockedId: carol.id })).status, 200);
    await db.run`delete from inbox where user_id = ${alice.id}`;
    let text = '';
    for await (const page of exportLines(db, alice.id, now())) text += page;
    const people = linesOf(text).filter(({ type }) => type === 'person');
    assert.deepEqual(people, [{ type: 'person', id: carol.id, username: 'carol', nickname: 'carol' }]);
  });

  test('waits while the user or the node has enough of them, and keeps its ticket', async (t) => {
    const { service, alice, ticketOf, get } = await startExporting(t, database);
    const { begin } = service.services.limits.exports;
    const ticket = await ticketOf();
    const seen = async () => {
      const { status, body, headers } = await get(ticket);
      return [status, body.error, headers['retry-after']];
    };
    const end = await begin(alice.id);
    assert.deepEqual(await seen(), [429, 'too_many_exports', '10']);
    end();
    const ends = [await begin('x'), await begin('y')];
    assert.deepEqual(await seen(), [429, 'overloaded', '10']);
    await assert.rejects(begin('z'), { word: 'overloaded' });
    ends[0]?.();
    assert.equal((await get(ticket)).status, 200);
    ends[1]?.();
  });

  test('gives its place back when its connection is cut in the middle', async (t) => {
    const { service, alice, sendMany, ticketOf } = await startExporting(t, database);
    await sendMany(8_000, 'x'.repeat(4_000));
    const ticket = await ticketOf();
    const connection = await openConnection(service.port);
    connection.socket.pause();
    connection.write(`GET /api/account/export?ticket=${ticket} HTTP/1.1\r\nhost: a\r\n\r\n`);
    const isFree = () =>
      service.services.limits.exports.begin(alice.id).then(
        (end) => {
          end();
          return true;
        },
        () => false,
      );
    await eventually(async () => !(await isFree()));
    connection.socket.destroy();
    await eventually(isFree);
    assert.ok(!service.logLines.some((line) => line.includes('"fault"')));
  });

  test('is asked for three times in a day', async (t) => {
    const { service, clock, alice, bob, ask, ticketOf } = await startExporting(t, database);
    for (let i = 0; i < 3; i++) await ticketOf();
    const { status, body, headers } = await ask();
    assert.deepEqual([status, body.error], [429, 'too_many_exports']);
    assert.equal(headers['retry-after'], '86400');
    await ticketOf(bob);
    clock.add(24 * 60 * MINUTE_MS);
    await service.post('/api/account/confirm', { password: alice.password }, alice);
    await ticketOf();
  });

  test('is in the account log and in no other, and its ticket in none', async (t) => {
    const env = {
      LOG_REQUESTS: '1',
      SMTP_URL: 'smtp://127.0.0.1:9',
      MAIL_FROM: 'a@b.example',
      PUBLIC_URL: 'https://chat.example.org',
    };
    const { service, db, alice, ticketOf, fill } = await startExporting(t, database, env);
    await fill();
    const ticket = await ticketOf();
    const client = { from: '203.0.113.7', headers: { 'user-agent': 'Browser' } };
    await service.get(`/api/account/export?ticket=${ticket}`, client);
    const { items } = (await service.get('/api/account/log', alice)).body.data;
    const { what, session, device, address } = items.find((entry: Body) => entry.what === 'export_made');
    assert.deepEqual([what, device, address], ['export_made', 'Browser', '203.0.113.7']);
    assert.ok((await service.get('/api/sessions', alice)).body.data.some(({ id }: Body) => id === session));
    const job = await db.get<{ address: string; data: string }>`
      select address, data from mail_jobs where kind = 'export_made'`;
    assert.deepEqual([job?.address, JSON.parse(job?.data ?? '').device], ['alice@mail.example', 'Browser']);
    await eventually(() => service.logLines.some((line) => line.includes('"route":"/api/account/export"')));
    assert.ok(service.logLines.some((line) => line.includes('"event":"export_made"')));
    assert.ok(!service.logLines.some((line) => line.includes(ticket)));
    assert.deepEqual(await db.all`select hash from tickets`, []);
  });

  test('goes on when the session of the ticket has ended', async (t) => {
    const { service, db, alice, ticketOf, get, fill, now } = await startExporting(t, database);
    await fill();
    const ticket = await ticketOf();
    const lines = exportLines(db, alice.id, now());
    await lines.next();
    await service.post('/api/logout', {}, alice);
    const { text } = await get(ticket);
    assert.equal(linesOf(text).at(-1).type, 'end');
    let last = '';
    for await (const page of lines) last = page;
    assert.match(last, /^\{"type":"end"/);
  });

  test('ends before its end when the account is deleted meanwhile, and does not begin afterwards', async (t) => {
    const { db, alice, post, ticketOf, get, fill, now } = await startExporting(t, database);
    await fill();
    const ticket = await ticketOf();
    const lines = exportLines(db, alice.id, now());
    let page = '';
    while (!page.startsWith('{"type":"conversation"')) page = (await lines.next()).value ?? '';
    assert.equal((await post(alice, '/api/account/delete', {})).status, 200);
    await assert.rejects(lines.next(), { word: 'user_not_found' });
    assert.equal((await get(ticket)).status, 404);
  });

  test('ends each conversation at the number that its line names, while messages arrive', async (t) => {
    const { db, alice, bob, carol, send, sendMany, now } = await startExporting(t, database);
    await sendMany(450, 'before');
    await send(carol, alice, 'c1', { body: 'one' });
    let text = '';
    let sent = 0;
    for await (const page of exportLines(db, alice.id, now())) {
      text += page;
      await send(bob, alice, `later ${++sent}`, { body: 'later' });
      await send(carol, alice, `later ${sent}`, { body: 'later' });
    }
    const lines = linesOf(text);
    for (const { id } of [bob, carol]) {
      const { n } = lines.find(({ type, peer }) => type === 'conversation' && peer === id);
      const numbers = lines.flatMap((line) => (line.type === 'message' && line.peer === id ? line.n : []));
      assert.deepEqual(
        numbers,
        Array.from({ length: n }, (_, i) => i + 1),
      );
    }
    assert.ok(sent > 5);
  });

  test('lets others be served after each page', async (t) => {
    const { db, alice, sendMany, now } = await startExporting(t, database);
    await sendMany(450, 'before');
    let turns = 0;
    const turn = () => {
      turns++;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    t.after(() => clearImmediate(next));
    let pages = 0;
    const seen: number[] = [];
    for await (const _ of exportLines(db, alice.id, now())) {
      pages++;
      seen.push(turns);
    }
    clearImmediate(next);
    assert.ok(pages > 6);
    assert.deepEqual(seen, [...new Set(seen)], 'each page came in a turn of its own');
  });

  test('is what the command writes for the operator, who is named in the log', async (t) => {
    const { alice, bob, post, fill, ticketOf, get, settings } = await startExporting(t, database);
    await fill();
    const { text } = await get(await ticketOf());
    const { code, output, errors } = await runCommand(settings(), ['user', 'export', 'alice']);
    assert.deepEqual([code, errors], [0, '']);
    const withoutLog = (file: string) =>
      linesOf(file).filter(({ type }) => !['export', 'account_log', 'end'].includes(type));
    assert.deepEqual(withoutLog(output), withoutLog(text));
    const [newest] = linesOf(output).filter(({ type }) => type === 'account_log');
    assert.deepEqual([newest.what, newest.detail], ['export_made', { by: 'operator' }]);
    await post(bob, '/api/account/delete', {});
    const refused = await runCommand(settings(), ['user', 'export', alice.id === bob.id ? '' : bob.id]);
    assert.deepEqual([refused.code, refused.errors], [1, `bob (${bob.id}) was deleted\n`]);
  });
});
