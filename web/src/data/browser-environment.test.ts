import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserEnvironment } from './browser-environment.ts';

/** The part of a document that `trackActivity` uses. */
class TestDocument extends EventTarget {
  readonly defaultView = new EventTarget();
  visibilityState: DocumentVisibilityState = 'visible';
  isFocused = false;
  hasFocus = () => this.isFocused;
}

test('the page is attended while it is visible and used, and the service gets the same', (t) => {
  const document = new TestDocument();
  Object.assign(globalThis, { document });
  t.after(() => Reflect.deleteProperty(globalThis, 'document'));
  const environment = browserEnvironment();
  const seen: boolean[] = [];
  environment.onAttention((isAttended) => seen.push(isAttended));
  let view = {};
  t.after(environment.trackActivity({ setView: (now) => (view = now), reconnectNow: () => {} }));
  assert.equal(environment.isAttended(), false, 'visible, but not used yet');
  document.dispatchEvent(new Event('keydown'));
  assert.equal(environment.isAttended(), true);
  document.defaultView.dispatchEvent(new Event('blur'));
  assert.equal(environment.isAttended(), false, 'another window is used');
  document.defaultView.dispatchEvent(new Event('focus'));
  document.visibilityState = 'hidden';
  document.dispatchEvent(new Event('visibilitychange'));
  assert.equal(environment.isAttended(), false);
  assert.deepEqual(seen, [true, false, true, false]);
  assert.deepEqual(view, { visible: false, active: false });
});

test('the page is in front while it is visible and has the focus, also if it is not used', (t) => {
  const document = new TestDocument();
  Object.assign(globalThis, { document });
  t.after(() => Reflect.deleteProperty(globalThis, 'document'));
  const { isInFront } = browserEnvironment();
  assert.equal(isInFront(), false);
  document.isFocused = true;
  assert.equal(isInFront(), true);
  document.visibilityState = 'hidden';
  assert.equal(isInFront(), false);
});
