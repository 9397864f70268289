import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { FastifyReply } from 'fastify';
import { eventually } from '../../../test/eventually.ts';
import { openServer } from '../../http/server.ts';
import { openLog } from '../../log.ts';
import { userNotFound } from '../../users/users.ts';
import { dispositionOf, sendLines } from './send-lines.ts';

const LINE = `${'x'.repeat(99_999)}\n`;
const HOUR_MS = 3_600_000;

/** A server that sends these lines at `/`, and a client. */
async function start(
  t: TestContext,
  lines: () => AsyncIterable<string>,
  times: { readerMs?: number; wholeMs?: number } = {},
  before?: (reply: FastifyReply) => Promise<unknown>,
) {
  const log: string[] = [];
  const app = openServer(openLog('info', { write: (line: string) => void log.push(line) }));
  const stop = new AbortController();
  app.addHook('preClose', async () => stop.abort());
  const sent = { begun: 0, ended: 0, lines: 0 };
  async function* counted() {
    for await (const line of lines()) {
      sent.lines++;
      yield line;
    }
  }
  app.get('/', async (request, reply) => {
    sent.begun++;
    await before?.(reply);
    const sending = { username: 'alice', at: 0, stop: stop.signal };
    await sendLines(request, reply, counted(), {
      ...sending,
      times: { readerMs: HOUR_MS, wholeMs: HOUR_MS, ...times },
    });
    sent.ended++;
    return reply;
  });
  t.after(() => app.close());
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return {
    app,
    url,
    sent,
    /** The lines of the log about faults. */
    faults: () => log.filter((line) => line.includes('"fault"')),
    /** A reader that takes nothing until it is resumed. */
    async openPaused() {
      const socket = connect(Number(new URL(url).port), '127.0.0.1').pause();
      socket.on('error', () => {});
      await once(socket, 'connect');
      socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
      await eventually(() => sent.begun > 0);
      return socket;
    },
  };
}

async function* endless() {
  for (;;) {
    yield LINE;
    await new Promise(setImmediate);
  }
}

test('a file is sent whole, with the headers of all answers', async (t) => {
  const { url, sent } = await start(t, async function* () {
    yield 'one\n';
    yield 'two\n';
  });
  const answer = await fetch(url);
  assert.equal(await answer.text(), 'one\ntwo\n');
  assert.equal(answer.headers.get('content-type'), 'application/x-ndjson; charset=utf-8');
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
  assert.ok(answer.headers.get('x-request-id'));
  await eventually(() => sent.ended === 1);
});

test('of a reader that takes nothing no more is read than fits, and it is cut after its time', async (t) => {
  const { sent, faults, openPaused } = await start(t, endless, { readerMs: 200 });
  const socket = await openPaused();
  await eventually(() => sent.ended === 1);
  // What the system keeps for both ends of a connection.
  assert.ok(sent.lines < 300, `${sent.lines} lines were read`);
  assert.deepEqual(faults(), []);
  socket.destroy();
});

test('a download ends after its longest time, at a stop, and with its connection, each without a fault', async (t) => {
  for (const [cause, times] of [
    ['time', { wholeMs: 100 }],
    ['stop', {}],
    ['connection', {}],
  ] as const) {
    const { app, sent, faults, openPaused } = await start(t, endless, times);
    const socket = await openPaused();
    await eventually(() => sent.lines > 0);
    if (cause === 'stop') await app.close();
    if (cause === 'connection') socket.destroy();
    await eventually(() => sent.ended === 1);
    assert.deepEqual(faults(), [], cause);
    const { lines } = sent;
    await new Promise(setImmediate);
    assert.equal(sent.lines, lines, 'nothing more is read');
    socket.destroy();
  }
});

test('a connection that ended before the first line gets none, without a fault', async (t) => {
  const { sent, faults, openPaused } = await start(t, endless, {}, ({ raw }) => once(raw, 'close'));
  (await openPaused()).destroy();
  await eventually(() => sent.ended === 1);
  assert.deepEqual([sent.lines, faults()], [0, []]);
});

test('what cannot be read further ends the connection: a deleted account silently, a fault in the log', async (t) => {
  for (const [error, faultCount] of [
    [userNotFound(), 0],
    [new Error('the disk is full'), 1],
  ] as const) {
    const { url, sent, faults } = await start(t, async function* () {
      yield LINE;
      throw error;
    });
    const answer = await fetch(url);
    await assert.rejects(answer.text(), TypeError);
    await eventually(() => sent.ended === 1);
    assert.equal(faults().length, faultCount);
  }
});

test('the file is named after its user and day, in ASCII and as it is', () => {
  const at = Date.UTC(2026, 10, 28, 23, 59);
  const named = (username: string) => dispositionOf(username, at);
  const disposition = (ascii: string, whole: string) =>
    `attachment; filename="doorman-${ascii}-2026-11-28.jsonl"; filename*=UTF-8''doorman-${whole}-2026-11-28.jsonl`;
  assert.equal(named('alice'), disposition('alice', 'alice'));
  assert.equal(named('王 小明'), disposition('____', '%E7%8E%8B%20%E5%B0%8F%E6%98%8E'));
  assert.equal(named('a"b\\c/../d'), disposition('a_b_c_.._d', 'a_b_c_.._d'));
  assert.equal(named("it's(1)*"), disposition('it_s_1__', 'it%27s%281%29_'));
  assert.equal(named('👩‍👧'), disposition('___', encodeURIComponent('👩‍👧')));
});
