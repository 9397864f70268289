import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import { rawFrame, writeRaw } from '../../test/raw-frames.ts';
import { startSockets, type TestSocket } from '../../test/sockets.ts';

onSqlite('bad frames', (database) => {
  const cases: [name: string, send: (socket: TestSocket) => void, code: number, reason: string][] = [
    ['bytes', (s) => s.ws.send(Buffer.from('{"type":"ping"}')), 1003, 'binary_frame'],
    ['no JSON', (s) => s.send('ping'), 1007, 'body_not_json'],
    ['nothing', (s) => s.send(''), 1007, 'body_not_json'],
    ['an array', (s) => s.send('[{"type":"ping"}]'), 1007, 'body_not_object'],
    ['null', (s) => s.send('null'), 1007, 'body_not_object'],
    ['a lone surrogate', (s) => s.send('{"type":"ping","x":"\\ud800"}'), 1007, 'body_bad_text'],
    ['U+0000', (s) => s.send('{"type":"pi\\u0000ng"}'), 1007, 'body_bad_text'],
    ['33 levels', (s) => s.send(`{"x":${'['.repeat(32)}${']'.repeat(32)}}`), 1007, 'body_too_deep'],
    ['no type', (s) => s.send('{}'), 1007, 'invalid_field'],
    ['a type that is no string', (s) => s.send('{"type":7}'), 1007, 'invalid_field'],
    ['an unknown type', (s) => s.send('{"type":"sing"}'), 1007, 'unknown_frame'],
    ['a type that every object has', (s) => s.send('{"type":"constructor"}'), 1007, 'unknown_frame'],
    ['an id that is no string', (s) => s.send('{"type":"ping","id":1}'), 1007, 'invalid_field'],
    ['an empty id', (s) => s.send('{"type":"ping","id":""}'), 1007, 'invalid_field'],
    ['a request without id', (s) => s.send('{"type":"token","token":"x"}'), 1007, 'invalid_field'],
    [
      'a frame too large',
      (s) => s.send(`{"type":"ping","x":"${'x'.repeat(65_600)}"}`),
      4413,
      'frame_too_large',
    ],
    ['text that is not UTF-8', (s) => writeRaw(s, rawFrame(0x81, Buffer.of(0xc3, 0x28))), 1007, ''],
    ['a reserved kind of frame', (s) => writeRaw(s, rawFrame(0x83, Buffer.from('{}'))), 1002, ''],
    ['a frame without mask', (s) => writeRaw(s, Buffer.from('\x81\x02{}', 'latin1')), 1002, ''],
    [
      'a message in too many pieces',
      (s) => {
        for (let i = 0; i < 65; i++) writeRaw(s, rawFrame(i === 0 ? 0x01 : 0x00, Buffer.from(' ')));
      },
      1008,
      '',
    ],
  ];

  test('each ends its own connection alone, and tells why', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const mallory = await service.join('mallory');
    const bystander = await service.enter(alice);
    for (const [name, send, code, reason] of cases) {
      const socket = await service.enter(mallory);
      send(socket);
      assert.deepEqual(await socket.ended, { code, reason }, name);
      assert.deepEqual(socket.unread, [], name);
      bystander.send({ type: 'ping', after: name });
      assert.deepEqual(await bystander.next(), { type: 'pong' });
    }
    await eventually(async () => (await service.isOnline(mallory)) === 0);
    assert.deepEqual(
      service.logLines.filter((line) => line.includes('"level":50')),
      [],
    );
  });

  test('the same before hello', async (t) => {
    const service = await startSockets(t, database);
    for (const [name, send, code, reason] of cases.filter(([name]) => !name.startsWith('an unknown type'))) {
      const socket = await service.connect();
      send(socket);
      const ending = await socket.ended;
      // What can be read is refused for not being hello.
      if (reason !== 'unknown_frame' && name !== 'a request without id')
        assert.deepEqual(ending, { code, reason }, name);
      else assert.equal(ending.code, 4408, name);
    }
  });

  test('with an id they get one reply, and the connection goes on', async (t) => {
    const service = await startSockets(t, database);
    const socket = await service.enter(await service.join('alice'));
    const unknown = await socket.ask({ type: 'sing' });
    assert.deepEqual([unknown.code, unknown.error], [400, 'unknown_frame']);
    const untyped = await socket.ask({});
    assert.deepEqual([untyped.code, untyped.error, untyped.msg], [400, 'invalid_field', '缺少参数 type']);
    const tokenless = await socket.ask({ type: 'token' });
    assert.deepEqual(
      [tokenless.code, tokenless.error, tokenless.msg],
      [400, 'invalid_field', '缺少参数 token'],
    );
    socket.send({ type: 'ping', id: 'mine' });
    assert.deepEqual(
      [await socket.next(), await socket.next()],
      [{ type: 'pong' }, { type: 'reply', id: 'mine', code: 200 }],
    );
  });

  test('a client that prefers another language than Chinese gets English texts', async (t) => {
    const service = await startSockets(t, database);
    const headers = { 'accept-language': 'en-GB' };
    const socket = await service.connect({ headers });
    await socket.hello({ token: (await service.join('alice')).token });
    assert.equal((await socket.ask({ type: 'sing' })).msg, 'Unknown type of frame');
    assert.equal((await socket.ask({})).msg, 'type is missing');
    const early = await service.connect({ headers });
    assert.equal((await early.ask({ type: 'ping' })).msg, 'Send hello first');
    const refused = await service.refuse({ headers, protocol: 'chat' });
    assert.equal(refused.body.msg, 'Unknown subprotocol, offer doorman.v1');
  });

  test('a frame of 65,536 bytes is taken, one more is not', async (t) => {
    const service = await startSockets(t, database);
    const socket = await service.enter(await service.join('alice'));
    const frame = (bytes: number) => `{"type":"ping","x":"${'x'.repeat(bytes - 22)}"}`;
    assert.equal(frame(65_536).length, 65_536);
    socket.send(frame(65_536));
    assert.deepEqual(await socket.next(), { type: 'pong' });
    socket.send(frame(65_537));
    assert.equal((await socket.ended).code, 4413);
  });
});
