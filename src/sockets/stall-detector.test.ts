import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../test/eventually.ts';
import { StallDetector } from './stall-detector.ts';

function start() {
  const state = { nowMs: 0, isCurrent: true, canRead: true };
  const calls: string[] = [];
  const recover = async () => {
    state.isCurrent = state.canRead;
    return state.canRead;
  };
  const detector = new StallDetector(
    () => state.nowMs,
    () => state.isCurrent,
    recover,
    {
      onCutOff: () => calls.push('cut off'),
      onRecovered: (stoodStill) => calls.push(stoodStill ? 'after a standstill' : 'after failed reads'),
    },
  );
  return { state, calls, detector };
}

test('a process that stood still, and one that could not read for a while, hold back until they have read', async () => {
  const { state, calls, detector } = start();
  state.nowMs = 1_999;
  detector.check();
  assert.equal(detector.state, 'running');
  state.isCurrent = false;
  detector.check();
  assert.equal(detector.state, 'reading');
  await eventually(() => detector.state === 'running');
  state.nowMs += 2_000;
  state.canRead = false;
  detector.check();
  assert.equal(detector.state, 'reading');
  await new Promise(setImmediate);
  assert.equal(detector.state, 'reading', 'it has not read yet');
  state.canRead = true;
  await eventually(() => detector.state === 'running');
  assert.deepEqual(calls, ['after failed reads', 'after a standstill']);
});

test('a process that cannot read for long is cut off until it has read', async () => {
  const { state, calls, detector } = start();
  state.isCurrent = false;
  state.canRead = false;
  assert.equal(detector.state, 'reading');
  await detector.settled;
  assert.deepEqual([detector.state, calls], ['cut-off', ['cut off']]);
  state.canRead = true;
  await eventually(() => detector.state === 'running');
  assert.deepEqual(calls, ['cut off', 'after failed reads']);
});
