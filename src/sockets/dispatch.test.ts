import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import { rawFrame, writeRaw } from '../../test/raw-frames.ts';
import { connectionOf, serveFrames, startSockets } from '../../test/sockets.ts';
import { ServiceError } from '../errors.ts';
import type { SocketSession } from './socket-session.ts';

onSqlite('the frames that a room answers', (database) => {
  test('are validated by their schema and answered with the data of their handler', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const { enter } = await serveFrames(t, service, {
      typing: (from, { to }) => ({ to, by: from.userId }),
    });
    const socket = await enter(alice);
    const reply = await socket.ask({ type: 'typing', to: 'abc', extra: 1 });
    assert.deepEqual([reply.code, reply.data], [200, { to: 'abc', by: alice.id }]);
    const tooLong = await socket.ask({ type: 'typing', to: 'x'.repeat(101) });
    assert.deepEqual(
      [tooLong.code, tooLong.error, tooLong.msg],
      [400, 'invalid_field', '参数 to 的长度需在1-100之间'],
    );
    const missing = await socket.ask({ type: 'typing' });
    assert.deepEqual([missing.code, missing.msg], [400, '缺少参数 to']);
    socket.send({ type: 'typing', to: 5 });
    assert.deepEqual(await socket.ended, { code: 1007, reason: 'invalid_field' });
  });

  test('are answered one after the other, in their order', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const order: string[] = [];
    const { enter } = await serveFrames(t, service, {
      async typing(_from, { to }) {
        order.push(`begin ${to}`);
        await new Promise((resolve) => setImmediate(resolve));
        order.push(`end ${to}`);
      },
    });
    const socket = await enter(alice);
    for (const n of ['1', '2']) socket.send({ type: 'typing', id: n, to: n });
    socket.send({ type: 'ping' });
    socket.send({ type: 'typing', id: '3', to: '3' });
    const answers = [await socket.next(), await socket.next(), await socket.next(), await socket.next()];
    assert.deepEqual(
      answers.map(({ type, id }) => id ?? type),
      ['1', '2', 'pong', '3'],
    );
    assert.deepEqual(order, ['begin 1', 'end 1', 'begin 2', 'end 2', 'begin 3', 'end 3']);
  });

  test('may throw every kind of error, with the same code as over HTTP, and the socket stays open', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const { enter } = await serveFrames(t, service, {
      typing(_from, { to }) {
        if (to === 'forbidden') throw new ServiceError('forbidden', 'not_accepting', '对方不接收');
        if (to === 'not-found') throw new ServiceError('not-found', 'user_not_found', '用户不存在');
        if (to === 'rate-limited') throw new ServiceError('rate-limited', 'rate_limited', '慢一点');
        throw new Error('a fault whose text is not sent');
      },
    });
    const socket = await enter(alice);
    const codes: unknown[] = [];
    for (const to of ['forbidden', 'not-found', 'rate-limited', 'fault']) {
      const { code, error, msg } = await socket.ask({ type: 'typing', to });
      codes.push([code, error, msg]);
      socket.send({ type: 'typing', to }); // no request, so no reply
    }
    assert.deepEqual(codes, [
      [403, 'not_accepting', '对方不接收'],
      [404, 'user_not_found', '用户不存在'],
      [429, 'rate_limited', '慢一点'],
      [500, 'internal', '服务器内部错误'],
    ]);
    socket.send({ type: 'ping' });
    assert.deepEqual(await socket.next(), { type: 'pong' });
    assert.ok(service.logLines.some((line) => line.includes('fault in a frame')));
  });

  test('in flight when the service stops are answered before the close', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    let finish = () => {};
    const begun = Promise.withResolvers<void>();
    const { app, enter } = await serveFrames(t, service, {
      async sync() {
        begun.resolve();
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        return { done: true };
      },
    });
    const socket = await enter(alice);
    socket.send({ type: 'sync', id: '1' });
    await begun.promise;
    const closing = app.close();
    assert.equal((await socket.next()).type, 'drain');
    assert.ok(socket.isOpen);
    finish();
    assert.deepEqual(await socket.next(), { type: 'reply', id: '1', code: 200, data: { done: true } });
    assert.equal((await socket.ended).code, 1012);
    await closing;
  });

  test('are not handled after one that closed the connection', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const handled: string[] = [];
    const { enter } = await serveFrames(t, service, {
      typing(_from, { to }) {
        handled.push(to);
      },
    });
    const socket = await enter(alice);
    // In one write, so that the service has all frames when it reads the first.
    const frames = ['{"type":"typing","to":"before"}', 'nonsense', '{"type":"typing","to":"after","id":"1"}'];
    writeRaw(socket, Buffer.concat(frames.map((frame) => rawFrame(0x81, Buffer.from(frame)))));
    assert.deepEqual(await socket.ended, { code: 1007, reason: 'body_not_json' });
    assert.deepEqual(handled, ['before']);
    assert.deepEqual(socket.unread, []);
  });

  test('wait unread while one is in flight, however many are sent', async (t) => {
    const service = await startSockets(t, database);
    const alice = await service.join('alice');
    const gate = Promise.withResolvers<void>();
    const takers: SocketSession[] = [];
    const { enter } = await serveFrames(t, service, {
      async sync(from) {
        takers.push(from);
        await gate.promise;
      },
    });
    const socket = await enter(alice);
    const filler = 'x'.repeat(60_000);
    for (let i = 0; i < 50; i++) socket.send({ type: 'sync', id: String(i), filler });
    await eventually(() => takers.length > 0);
    const connection = connectionOf(takers[0] ?? assert.fail());
    await eventually(() => connection.isPaused);
    const bystander = await service.enter(alice);
    bystander.send({ type: 'ping' });
    assert.deepEqual(await bystander.next(), { type: 'pong' });
    const { bytesRead } = Reflect.get(connection, '_socket');
    assert.ok(bytesRead < 5 * filler.length, 'the rest is with the client or in the network');
    assert.equal(takers.length, 1);
    gate.resolve();
    for (let i = 0; i < 50; i++) assert.equal((await socket.next()).id, String(i));
    assert.equal(takers.length, 50);
    assert.equal(connection.isPaused, false);
  });
});
