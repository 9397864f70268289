import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { sendReceipt } from './receipts.ts';

/** Only tries at a service that never answers wait for the deadline. */
const QUICK = { deadlineMs: 60_000, retryAfterMs: 1 };
const SILENT = { ...QUICK, deadlineMs: 1_000 };

interface Received {
  readonly request: string;
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
}

test('a receipt reports to the service that a push was shown', async (t) => {
  const { baseUrl, received } = await startReceiver(t, [200]);
  await sendReceipt(baseUrl, 'r-1', 'shown');
  assert.equal(received.length, 1);
  assert.equal(received[0]?.request, 'POST /api/push/receipt');
  assert.deepEqual(received[0]?.body, { receipt: 'r-1', event: 'shown' });
  assert.equal(received[0]?.headers['content-type'], 'application/json');
  assert.equal(received[0]?.headers.authorization, undefined);
});

for (const [what, first] of [
  ['breaks', 500],
  ['is busy', 429],
  ['hangs up', 'hang-up'],
  ['never answers', 'silence'],
] as const)
  test(`a service that ${what} gets the receipt once more, and no more often`, async (t) => {
    const { baseUrl, received } = await startReceiver(t, [first, first, first]);
    await sendReceipt(baseUrl, 'r-1', 'clicked', first === 'silence' ? SILENT : QUICK);
    assert.deepEqual(
      received.map(({ body }) => body),
      Array(2).fill({ receipt: 'r-1', event: 'clicked' }),
    );
  });

test('a refused receipt is not sent again', async (t) => {
  const { baseUrl, received } = await startReceiver(t, [404, 200]);
  await sendReceipt(baseUrl, 'r-1', 'shown', QUICK);
  assert.equal(received.length, 1);
});

test('without a network nothing is thrown', async () => {
  await sendReceipt('http://127.0.0.1:1', 'r-1', 'shown', QUICK);
});

async function startReceiver(t: TestContext, answers: (number | 'hang-up' | 'silence')[]) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body: unknown = JSON.parse(await text(request));
    const answer = answers[received.length] ?? 200;
    received.push({ request: `${request.method} ${request.url}`, body, headers: request.headers });
    if (answer === 'hang-up') request.socket.destroy();
    else if (answer !== 'silence') response.writeHead(answer).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}
