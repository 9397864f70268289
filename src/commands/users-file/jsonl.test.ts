import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLines, toBatches } from './jsonl.ts';

async function linesOf(chunks: (string | Buffer)[], maxBytes = 100): Promise<[number, string | null][]> {
  async function* source() {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  const lines: [number, string | null][] = [];
  for await (const { number, bytes } of readLines(source(), maxBytes))
    lines.push([number, bytes?.toString() ?? null]);
  return lines;
}

test('lines are numbered from 1, at any size of the chunks', async () => {
  const expected = [
    [1, 'one'],
    [2, 'zwei €'],
    [3, 'three'],
  ];
  const bytes = Buffer.from('one\nzwei €\nthree');
  for (let size = 1; size <= bytes.length; size++) {
    const chunks = [];
    for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
    assert.deepEqual(await linesOf(chunks), expected);
  }
});

test('empty lines, white space and a byte order mark are left out but counted', async () => {
  assert.deepEqual(await linesOf(['\ufeffone\r\n\n \t\r\nfour\n\n']), [
    [1, 'one\r'],
    [4, 'four'],
  ]);
  assert.deepEqual(await linesOf(['\ufeff\n']), []);
  assert.deepEqual(await linesOf([]), []);
});

test('a line that is too long has no bytes, and the next one is complete', async () => {
  assert.deepEqual(await linesOf(['12345\n123', '456\n12', '34', '567'], 5), [
    [1, '12345'],
    [2, null],
    [3, null],
  ]);
  assert.deepEqual(await linesOf(['123456\n1'], 5), [
    [1, null],
    [2, '1'],
  ]);
});

test('a batch ends before an item that does not fit', async () => {
  async function* numbers() {
    for (let n = 1; n <= 5; n++) yield n;
  }
  const pairs = toBatches(numbers(), (batch) => batch.length < 2);
  assert.deepEqual(await Array.fromAsync(pairs), [[1, 2], [3, 4], [5]]);
  const equal = toBatches(numbers(), ([first = 0], next) => first > 2 === next > 2);
  assert.deepEqual(await Array.fromAsync(equal), [
    [1, 2],
    [3, 4, 5],
  ]);
});
