import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Answer } from '../harness.ts';

/** A connection to which a test writes bytes. */
export interface RawConnection extends Disposable {
  readonly socket: Socket;
  write(bytes: string | Buffer): void;
  /** The next answer; rejects if the connection ends before the answer is complete. */
  answer(options?: { isHead?: boolean }): Promise<Answer>;
  /** Every answer until the other side closes; rejects if anything else arrives. */
  allAnswers(): Promise<Answer[]>;
}

export async function openConnection(port: number): Promise<RawConnection> {
  const socket = connect(port, '127.0.0.1');
  let received = Buffer.alloc(0);
  let ended = false;
  let wake = () => {};
  let last = '';
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  // A reset ends a connection too; what arrived before it counts.
  socket.on('error', () => {});
  socket.on('close', () => {
    ended = true;
    wake();
  });
  await once(socket, 'connect');

  async function more(): Promise<void> {
    assert.ok(!ended, `the connection ended without an answer to ${last}; it held: ${received}`);
    const { promise, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    await promise;
  }

  async function answer({ isHead = false } = {}): Promise<Answer> {
    let end = received.indexOf('\r\n\r\n');
    for (; end === -1; end = received.indexOf('\r\n\r\n')) await more();
    const [first = '', ...lines] = received.subarray(0, end).toString().split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
    assert.ok(status >= 100, first);
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(': ');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)];
      }),
    );
    const length = status < 200 || isHead ? 0 : Number(headers['content-length']);
    assert.ok(Number.isInteger(length), `no length: ${received.subarray(0, end)}`);
    const whole = end + 4 + length;
    while (received.length < whole) await more();
    const text = received.subarray(end + 4, whole).toString();
    received = received.subarray(whole);
    return { status, headers, text, body: text && JSON.parse(text) };
  }

  return {
    socket,
    write(bytes) {
      last = JSON.stringify(String(bytes).slice(0, 200));
      socket.write(bytes);
    },
    answer,
    async allAnswers() {
      const answers: Answer[] = [];
      for (;;) {
        while (received.length === 0 && !ended) await more();
        if (received.length === 0) return answers;
        answers.push(await answer());
      }
    },
    [Symbol.dispose]: () => socket.destroy(),
  };
}
