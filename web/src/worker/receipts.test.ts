import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { sendReceipt } from './receipts.ts';

/** The deadline only ends a hang, but for the service that says nothing: there each try waits for it. */
const QUICK = { deadlineMs: 60_000, retryAfterMs: 1 };
const SILENT = { ...QUICK, deadlineMs: 1_000 };

interface Told {
  readonly asked: string;
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
}

test('the service is told what became of a push', async (t) => {
  const { baseUrl, told } = await startReceiver(t, [200]);
  await sendReceipt(baseUrl, 'r-1', 'shown');
  assert.equal(told.length, 1);
  assert.equal(told[0]?.asked, 'POST /api/push/receipt');
  assert.deepEqual(told[0]?.body, { receipt: 'r-1', event: 'shown' });
  assert.equal(told[0]?.headers['content-type'], 'application/json');
  assert.equal(told[0]?.headers.authorization, undefined);
});

for (const [what, first] of [
  ['breaks', 500],
  ['is busy', 429],
  ['hangs up', 'hang-up'],
  ['says nothing', 'silence'],
] as const)
  test(`a service that ${what} is told once more, and no more often`, async (t) => {
    const { baseUrl, told } = await startReceiver(t, [first, first, first]);
    await sendReceipt(baseUrl, 'r-1', 'clicked', first === 'silence' ? SILENT : QUICK);
    assert.deepEqual(
      told.map(({ body }) => body),
      Array(2).fill({ receipt: 'r-1', event: 'clicked' }),
    );
  });

test('what was refused is not said again', async (t) => {
  const { baseUrl, told } = await startReceiver(t, [404, 200]);
  await sendReceipt(baseUrl, 'r-1', 'shown', QUICK);
  assert.equal(told.length, 1);
});

test('without a network nothing is thrown', async () => {
  await sendReceipt('http://127.0.0.1:1', 'r-1', 'shown', QUICK);
});

async function startReceiver(t: TestContext, answers: (number | 'hang-up' | 'silence')[]) {
  const told: Told[] = [];
  const server = createServer(async (request, response) => {
    const body: unknown = JSON.parse(await text(request));
    const answer = answers[told.length] ?? 200;
    told.push({ asked: `${request.method} ${request.url}`, body, headers: request.headers });
    if (answer === 'hang-up') request.socket.destroy();
    else if (answer !== 'silence') response.writeHead(answer).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, told };
}
