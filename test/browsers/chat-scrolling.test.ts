import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onChromium, onEachBrowser } from './each-browser.ts';
import { hide } from './running-browser.ts';
import { bodies, lineTop, openChat, place, scroll, startTalk, textOf, waitForEnd } from './talk.ts';
import { waitFor } from './waiting.ts';

const TO_NEWEST = '[data-testid="to-newest"]';

onEachBrowser('A long conversation', (browser) => {
  test('loads older messages on scrolling up, and no visible row moves', async (t) => {
    const talk = await startTalk(t);
    const { alice, bob, write, read } = talk;
    await read(alice, bob, await write(bob, alice, ...bodies(170)));
    const { page } = await openChat(t, browser(), talk);
    await waitForEnd(page);
    const { moved, steps } = await page.evaluate(watchScrollingUp);
    assert.deepEqual(moved, []);
    assert.ok(steps > 15, `${steps} steps`);
    assert.equal(
      await page.$eval('[data-testid="beginning"]', (top) => top.getBoundingClientRect().top > 0),
      true,
    );
    assert.equal((await page.$$('[data-message]')).length, 170);
  });
});

onChromium('A long conversation in Chromium', (browser) => {
  test('keeps its rows in place after it has become narrower', async (t) => {
    const talk = await startTalk(t);
    const { alice, bob, write, read } = talk;
    await read(alice, bob, await write(bob, alice, ...bodies(90)));
    const { page } = await openChat(t, browser(), talk);
    await waitForEnd(page);
    await page.evaluate(watchScrollingUp);
    // All lines break elsewhere, also those off the screen.
    await page.evaluate(noteRelayout);
    await page.setViewport({ width: 700, height: 800 });
    await waitFor('the new heights', () => page.$('[data-relaid]'));
    await page.$eval('[data-testid="messages"]', (list) => list.scrollTo(0, list.scrollHeight * 0.7));
    assert.deepEqual((await page.evaluate(watchScrollingUp)).moved, []);
  });

  test('opens at the first unread message, and stays there until the user scrolls', async (t) => {
    const talk = await startTalk(t);
    const { site, alice, bob, write, read } = talk;
    const [before, unread] = [40, 110];
    await read(alice, bob, await write(bob, alice, ...bodies(before)));
    await write(bob, alice, ...bodies(unread));
    const alicesRead = async () => (await site.get('/api/conversations', bob.token)).body.data[0].read;
    const { page } = await openChat(t, browser(), talk);
    const line = await waitFor('the line', () => lineTop(page));
    assert.ok(line > 0 && line < 200, `the line is at ${line}`);
    assert.match(await textOf(page, TO_NEWEST), /\b110\b/);
    await waitFor('the text for screen readers', async () =>
      /\b110\b/.test(await textOf(page, '[data-testid="announcer"]')),
    );

    const { top } = await place(page);
    await write(bob, alice, 'and one more');
    await waitFor('the count', async () => /\b111\b/.test(await textOf(page, TO_NEWEST)));
    assert.equal((await place(page)).top, top);
    assert.equal(await alicesRead(), before);

    await page.click(TO_NEWEST);
    await waitForEnd(page);
    await waitFor('the mark', async () => (await alicesRead()) === before + unread + 1);
    assert.equal(await page.$(TO_NEWEST), null);
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-testid')), 'composer');
  });

  test('stays at its end when messages arrive, are sent, or grow', async (t) => {
    const talk = await startTalk(t);
    const { alice, bob, write, read } = talk;
    await read(alice, bob, await write(bob, alice, ...bodies(45)));
    const her = await openChat(t, browser(), talk);
    const { page } = her;
    await waitForEnd(page);
    await write(bob, alice, 'one', bodies(31)[30] ?? '', 'three');
    await her.waitForMessage('three');
    await waitForEnd(page);
    await page.focus('[data-testid="composer"]');
    await page.evaluate(() => document.execCommand('insertText', false, 'line\n'.repeat(5)));
    await waitForEnd(page);
    await scroll(page, -900);
    await waitFor('the button', () => page.$(TO_NEWEST));
    const { top } = await place(page);
    await write(bob, alice, 'four');
    await waitFor('the count', async () => /\b1\b/.test(await textOf(page, TO_NEWEST)));
    assert.equal((await place(page)).top, top);
    await her.fill('[data-testid="composer"]', 'mine');
    await page.keyboard.press('Enter');
    await waitForEnd(page);
    await her.waitForMessage('mine', 'stored');

    await page.setViewport({ width: 500, height: 500 });
    await waitFor('the new width', () =>
      page.$eval('[data-testid="messages"]', (list) => list.clientWidth <= 500),
    );
    await waitForEnd(page);
  });

  test('shows from the first one the messages that arrived while the page was hidden', async (t) => {
    const talk = await startTalk(t);
    const { site, alice, bob, write, read } = talk;
    await read(alice, bob, await write(bob, alice, ...bodies(30)));
    const her = await openChat(t, browser(), talk);
    const { page } = her;
    await waitForEnd(page);
    const show = await hide(page);
    await waitFor('the page to be hidden', () => page.evaluate(() => document.visibilityState === 'hidden'));
    await write(bob, alice, ...Array.from({ length: 40 }, (_, i) => `while away ${i + 1}`));
    await show();
    await waitFor('all of them', async () => /\b40\b/.test(await textOf(page, TO_NEWEST)));
    const line = await lineTop(page);
    assert.ok(line !== undefined && line > 0 && line < 200, `the line is at ${line}`);
    assert.equal((await site.get('/api/conversations', alice.token)).body.data[0].unread, 40);
  });
});

/**
 * In the page: scrolls up to the beginning, and checks after each painted step that the visible rows moved by the step. It
 * compares the lower ends of rows, as the gap to the row above may change.
 */
async function watchScrollingUp(): Promise<{ moved: string[]; steps: number }> {
  const STEP_PX = 450;
  const list = document.querySelector<HTMLElement>('[data-testid="messages"]');
  if (!list) throw new Error('no messages');
  const painted = () =>
    new Promise<void>((resolve) => {
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve();
        port2.postMessage(0);
      });
    });
  const rowInSight = () => {
    const { left, top, width, height } = list.getBoundingClientRect();
    for (let y = top + height * 0.3; y < top + height; y += 8) {
      const row = document.elementFromPoint(left + width / 2, y)?.closest<HTMLElement>('[data-message]');
      if (row) return row;
    }
    return undefined;
  };
  const moved: string[] = [];
  let steps = 0;
  const endAt = performance.now() + 30_000;
  while (performance.now() < endAt) {
    if (list.scrollTop === 0 && document.querySelector('[data-testid="beginning"]')) break;
    const row = rowInSight();
    const before = row?.getBoundingClientRect().bottom ?? 0;
    const step = Math.min(STEP_PX, list.scrollTop);
    list.scrollTop -= step;
    await painted();
    await painted();
    if (step > 0) steps++;
    const by = (row?.getBoundingClientRect().bottom ?? 0) - before - step;
    if (row && Math.abs(by) > 1.5) moved.push(`${row.dataset.testid} by ${by}`);
  }
  return { moved, steps };
}

/** In the page: sets `data-relaid` on `<html>` once all blocks have been laid out for a new width. */
function noteRelayout(): void {
  const rows = document.querySelector('[data-testid="messages"] > *');
  if (!rows) throw new Error('no messages');
  new MutationObserver(() => {
    if (!rows.hasAttribute('data-narrowed')) document.documentElement.setAttribute('data-relaid', '');
  }).observe(rows, { attributeFilter: ['data-narrowed'] });
}
