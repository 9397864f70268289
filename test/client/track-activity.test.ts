import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { trackActivity } from 'doorman-client';

/** The parts of a page that it uses, and what it reported to the kit. */
class Page extends EventTarget {
  readonly defaultView = new EventTarget();
  visibilityState: DocumentVisibilityState = 'visible';
  isFocused = true;
  readonly views: string[] = [];
  looks = 0;
  readonly end: () => void;

  constructor(
    t: TestContext,
    state: { isFocused?: boolean; visibilityState?: DocumentVisibilityState } = {},
  ) {
    super();
    Object.assign(this, state);
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_800_000_000_000 });
    t.mock.method(performance, 'now', () => Date.now()); // so that a tick moves it too
    const doorman = {
      setView: ({ visible, active }: { visible: boolean; active: boolean }) => {
        const view = `${visible ? 'visible' : 'hidden'} ${active ? 'active' : 'idle'}`;
        if (view !== this.views.at(-1)) this.views.push(view);
      },
      reconnectNow: () => {
        this.looks += 1;
      },
    };
    this.end = trackActivity(doorman, this as unknown as Document); // all that it asks of a document
    t.after(this.end);
  }

  hasFocus(): boolean {
    return this.isFocused;
  }

  use(kind = 'pointermove'): void {
    this.dispatchEvent(new Event(kind));
  }

  focus(isFocused: boolean): void {
    this.isFocused = isFocused;
    this.defaultView.dispatchEvent(new Event(isFocused ? 'focus' : 'blur'));
  }

  show(visibilityState: DocumentVisibilityState): void {
    this.visibilityState = visibilityState;
    this.dispatchEvent(new Event('visibilitychange'));
  }
}

test('a page in use is active, and idle 60 s after the last use', (t) => {
  const page = new Page(t);
  assert.deepEqual(page.views, ['visible active']);
  t.mock.timers.tick(59_000);
  page.use();
  t.mock.timers.tick(59_000);
  assert.deepEqual(page.views, ['visible active']);
  t.mock.timers.tick(1_000);
  assert.deepEqual(page.views, ['visible active', 'visible idle']);
  for (const kind of ['keydown', 'pointerdown', 'wheel', 'scroll', 'touchstart', 'pointermove']) {
    page.use(kind);
    assert.equal(page.views.at(-1), 'visible active', kind);
    t.mock.timers.tick(60_000);
    assert.equal(page.views.at(-1), 'visible idle');
  }
});

test('a hundred uses a second need few timers, and the minute counts from the last one', (t) => {
  const page = new Page(t);
  for (let i = 0; i < 300; i++) {
    page.use();
    t.mock.timers.tick(10);
  }
  t.mock.timers.tick(58_900);
  assert.equal(page.views.at(-1), 'visible active');
  t.mock.timers.tick(1_100);
  assert.equal(page.views.at(-1), 'visible idle');
});

test('a hidden page is neither visible nor active; shown again it looks for its connection at once', (t) => {
  const page = new Page(t);
  page.show('hidden');
  assert.deepEqual(page.views, ['visible active', 'hidden idle']);
  assert.equal(page.looks, 0);
  page.show('visible');
  assert.deepEqual(page.views, ['visible active', 'hidden idle', 'visible active']);
  assert.equal(page.looks, 1);
});

test('a window without the focus is idle until it is used', (t) => {
  const page = new Page(t);
  page.focus(false);
  assert.equal(page.views.at(-1), 'visible idle');
  page.use();
  assert.equal(page.views.at(-1), 'visible active');
  page.focus(false);
  page.focus(true);
  assert.equal(page.views.at(-1), 'visible active');
});

test('a page that opens in the background is idle from the start', (t) => {
  const page = new Page(t, { isFocused: false, visibilityState: 'hidden' });
  assert.deepEqual(page.views, ['hidden idle']);
  page.show('visible');
  assert.deepEqual(page.views, ['hidden idle', 'visible idle']);
});

test('it reports nothing after it was ended', (t) => {
  const page = new Page(t);
  page.end();
  page.show('hidden');
  page.focus(false);
  t.mock.timers.tick(61_000);
  assert.deepEqual(page.views, ['visible active']);
});
