import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase, onSqlite } from '../../test/databases.ts';
import { startSockets } from '../../test/sockets.ts';

/** As JSON writes them; the frames are text, because no client's library would write them unescaped. */
const BAD_TEXTS = ['\\u0000', '\\ud800', '\\udc00', '\\udc00\\ud800'];
const refusal = (id: string) => ({
  type: 'reply',
  id,
  code: 400,
  error: 'bad_text',
  msg: '消息包含无效字符',
});

onEachDatabase('bad text in a request frame', (database) => {
  test('is refused in its reply, nothing is stored, and the next frame is served', async (t) => {
    const service = await startSockets(t, database);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const socket = await service.enter(alice);
    for (const [i, bad] of BAD_TEXTS.entries()) {
      const to = `"to":"${bob.id}"`;
      const frames = [
        `{"type":"send","id":"a${i}",${to},"cid":"c${i}","body":"hi${bad}"}`,
        `{"type":"send","id":"b${i}",${to},"cid":"c${bad}","body":"hi"}`,
        `{"type":"history","id":"c${i}","peer":"${bad}"}`,
        `{"type":"sing${bad}","id":"d${i}"}`,
        `{"type":"ping","id":"e${i}","unknown":[{"${bad}":1}]}`,
        `{"id":"f${i}","x":"${bad}"}`,
      ];
      for (const frame of frames) {
        socket.send(frame);
        const { id } = JSON.parse(frame);
        assert.deepEqual(await socket.next(), refusal(id), frame);
      }
    }
    const { data } = await socket.ask({ type: 'history', peer: bob.id });
    assert.deepEqual(data, { items: [], more: false, quoted: [], revision: 0, clearedN: 0 });
    assert.equal((await socket.ask({ type: 'send', to: bob.id, cid: 'c0', body: 'hi' })).data.n, 1);
    assert.ok(socket.isOpen);
  });
});

onSqlite('bad text in other frames', (database) => {
  test('without an id that can be read ends the connection with 1007', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    for (const bad of BAD_TEXTS)
      for (const [frame, reason] of [
        [`{"type":"typing","to":"${bad}"}`, 'body_bad_text'],
        [`{"type":"ack","seq":1,"x":"${bad}"}`, 'body_bad_text'],
        [`{"type":"view","visible":true,"${bad}":1}`, 'body_bad_text'],
        [`{"type":"ping","id":"${bad}"}`, 'body_bad_text'],
        [`{"type":"ping","id":"1${bad}","x":"${bad}"}`, 'body_bad_text'],
        [`{"type":"ping","id":7,"x":"${bad}"}`, 'invalid_field'],
        [`{"type":"ping","id":"","x":"${bad}"}`, 'invalid_field'],
        [`{"type":"ping","id":"${'x'.repeat(65)}","x":"${bad}"}`, 'invalid_field'],
      ] as const) {
        const socket = await service.enter(alice);
        socket.send(frame);
        assert.deepEqual(await socket.ended, { code: 1007, reason }, frame);
        assert.deepEqual(socket.unread, [], frame);
      }
  });

  test('that are nested too deeply ends the connection, with an id too', async (t) => {
    const service = await startSockets(t, database);
    const socket = await service.enter(await service.join('alice'));
    socket.send(`{"type":"ping","id":"1","x":${'['.repeat(32)}"\\u0000"${']'.repeat(32)}}`);
    assert.deepEqual(await socket.ended, { code: 1007, reason: 'body_too_deep' });
  });

  test('before hello gets its reply, and then the connection ends', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    for (const frame of [
      `{"type":"hello","id":"1","token":"${alice.token}","device":"\\ud800"}`,
      `{"type":"hello","id":"1","token":"\\u0000"}`,
      `{"type":"ping","id":"1","x":"\\u0000"}`,
    ]) {
      const socket = await service.connect();
      socket.send(frame);
      assert.deepEqual(await socket.next(), refusal('1'), frame);
      assert.deepEqual(await socket.ended, { code: 1007, reason: 'bad_text' }, frame);
    }
    const socket = await service.connect();
    socket.send(`{"type":"hello","id":"\\u0000","token":"${alice.token}"}`);
    assert.deepEqual(await socket.ended, { code: 1007, reason: 'body_bad_text' });
    assert.deepEqual(socket.unread, []);
    assert.equal(await service.isOnline(alice), 0);
  });

  test('is body_bad_text over HTTP, as it was', async (t) => {
    const service = await startSockets(t, database);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const raw = `{"to":"${bob.id}","cid":"c","body":"\\u0000"}`;
    const { status, body } = await service.call('POST', '/api/messages', { raw, token: alice.token });
    assert.deepEqual([status, body.error], [400, 'body_bad_text']);
  });

  test('whole characters that JSON escapes are no bad text', async (t) => {
    const service = await startSockets(t, database);
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const socket = await service.enter(alice);
    socket.send(
      `{"type":"send","id":"1","to":"${bob.id}","cid":"c","body":"\\ud83d\\ude00 \\\\u0000 \\u0001"}`,
    );
    assert.equal((await socket.first(({ type }) => type === 'reply')).code, 200);
    const { data } = await socket.ask({ type: 'history', peer: bob.id });
    assert.equal(data.items[0].body, '\u{1f600} \\u0000 \u0001');
  });
});
