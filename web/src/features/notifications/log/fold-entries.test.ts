import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PushLogEntry, PushLogOutcome } from 'doorman-client';
import { foldEntries } from './fold-entries.ts';

/** Entries as the service lists them, the latest first; each is `ID PEER OUTCOME DEVICE`, `-` for no peer. */
function entries(...lines: string[]): PushLogEntry[] {
  return lines.map((line, i) => {
    const [id = '', peer = '', outcome = '', device = ''] = line.split(' ');
    return {
      id,
      at: 1_000_000 - i,
      peer: peer === '-' ? null : peer,
      device,
      device_name: device,
      kind: peer === '-' ? 'test' : 'message',
      outcome: outcome as PushLogOutcome, // the lines have its words
      status: null,
      reason: '',
      detail: '',
      waiting_until: null,
      shown: null,
      clicked: null,
    };
  });
}

/** The folds as `KEY: IDS`. */
function fold(...lines: string[]): string[] {
  return foldEntries(entries(...lines), ({ outcome, device_name }) => `${outcome} ${device_name}`).map(
    ({ key, entries: [latest, ...earlier] }) =>
      `${key}: ${[latest, ...earlier].map((one) => one?.id).join(' ')}`,
  );
}

test('neighbours that say the same about the same person are one row, from the latest to the first', () => {
  assert.deepEqual(fold('4 ada off', '3 ada off', '2 ada off', '1 bob off'), ['2: 4 3 2', '1: 1']);
  assert.deepEqual(fold(), []);
});

test('another person or sentence between them parts them', () => {
  assert.deepEqual(fold('3 ada off', '2 bob off', '1 ada off'), ['3: 3', '2: 2', '1: 1']);
  assert.deepEqual(fold('3 ada off', '2 ada dnd', '1 ada off'), ['3: 3', '2: 2', '1: 1']);
  assert.deepEqual(fold('3 ada accepted phone', '2 ada accepted tablet'), ['3: 3', '2: 2']);
  assert.deepEqual(fold('2 - accepted phone', '1 ada accepted phone'), ['2: 2', '1: 1']);
});

test('a row keeps its key when a later entry joins it', () => {
  assert.deepEqual(fold('2 ada off', '1 ada off'), ['1: 2 1']);
  assert.deepEqual(fold('3 ada off', '2 ada off', '1 ada off'), ['1: 3 2 1']);
});
