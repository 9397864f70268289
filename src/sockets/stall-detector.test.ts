import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StallDetector } from './stall-detector.ts';
import { eventually } from './test-client.ts';

test('a process that stood still, and one that could not read for a while, hold back until they have read', async () => {
  const [state, recovered] = [{ nowMs: 0, isCurrent: true, canRead: true }, [] as boolean[]];
  const recover = async () => {
    state.isCurrent = state.canRead;
    return state.canRead;
  };
  const detector = new StallDetector(
    () => state.nowMs,
    () => state.isCurrent,
    recover,
    (stoodStill) => recovered.push(stoodStill),
  );
  state.nowMs = 1_999;
  assert.equal(detector.check(), true);
  state.isCurrent = false;
  assert.equal(detector.check(), false);
  await eventually(() => !detector.isStalled);
  state.nowMs += 2_000;
  state.canRead = false;
  assert.equal(detector.check(), false);
  await new Promise(setImmediate);
  assert.equal(detector.isStalled, true, 'it has not read yet');
  state.canRead = true;
  await eventually(() => !detector.isStalled);
  assert.deepEqual(recovered, [false, true]);
});
