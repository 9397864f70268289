import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserSurroundings } from './browser-environment.ts';

/** As much of a document as it takes. */
class TestDocument extends EventTarget {
  readonly defaultView = new EventTarget();
  visibilityState: DocumentVisibilityState = 'visible';
  hasFocus = () => false;
}

test('somebody is before the page while it is visible and used, as the service is told', (t) => {
  const document = new TestDocument();
  Object.assign(globalThis, { document });
  t.after(() => Reflect.deleteProperty(globalThis, 'document'));
  const surroundings = browserSurroundings();
  const told: boolean[] = [];
  surroundings.onAttention((isAttended) => told.push(isAttended));
  let view = {};
  t.after(surroundings.followView({ setView: (now) => (view = now), reconnectNow: () => {} }));
  assert.equal(surroundings.isAttended(), false, 'visible, but nobody has touched it');
  document.dispatchEvent(new Event('keydown'));
  assert.equal(surroundings.isAttended(), true);
  document.defaultView.dispatchEvent(new Event('blur'));
  assert.equal(surroundings.isAttended(), false, 'another window is used');
  document.defaultView.dispatchEvent(new Event('focus'));
  document.visibilityState = 'hidden';
  document.dispatchEvent(new Event('visibilitychange'));
  assert.equal(surroundings.isAttended(), false);
  assert.deepEqual(told, [true, false, true, false]);
  assert.deepEqual(view, { visible: false, active: false });
});
