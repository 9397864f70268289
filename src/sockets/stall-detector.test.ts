import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../test/eventually.ts';
import { StallDetector } from './stall-detector.ts';

function start() {
  const state = { nowMs: 0, hasReadLately: true, ageMs: 3_000, canRead: true, keepsUp: true };
  const calls: string[] = [];
  const recover = async () => {
    state.hasReadLately = state.canRead && state.keepsUp;
    return state.canRead;
  };
  const detector = new StallDetector({
    monotonicMs: () => state.nowMs,
    changes: state,
    recover,
    onCutOff: () => calls.push('cut off'),
    onRecovered: () => calls.push('recovered'),
  });
  return { state, calls, detector };
}

test('a process that stood still, and one that could not read for a while, hold back until they have read', async () => {
  const { state, calls, detector } = start();
  state.nowMs = 1_999;
  detector.check();
  assert.equal(detector.state, 'running');
  state.hasReadLately = false;
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
  assert.deepEqual(calls, ['recovered', 'recovered']);
});

test('a process that cannot read for long is cut off until it has read', async () => {
  const { state, calls, detector } = start();
  state.hasReadLately = false;
  state.canRead = false;
  assert.equal(detector.state, 'reading');
  await detector.settled;
  assert.deepEqual([detector.state, calls], ['cut-off', ['cut off']]);
  state.canRead = true;
  await eventually(() => detector.state === 'running');
  assert.deepEqual(calls, ['cut off', 'recovered']);
});

test('a process that reads more slowly than others change writes nothing meanwhile, and is cut off too', async () => {
  const { state, calls, detector } = start();
  state.hasReadLately = false;
  state.keepsUp = false;
  assert.equal(detector.state, 'reading');
  await detector.settled;
  assert.deepEqual([detector.state, calls], ['cut-off', ['cut off']]);
  state.keepsUp = true;
  await eventually(() => detector.state === 'running');
  assert.deepEqual(calls, ['cut off', 'recovered']);
});
