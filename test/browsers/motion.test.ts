import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { addMessages } from '../long-lists.ts';
import { onChromium } from './each-browser.ts';
import { arrive } from './person.ts';
import { openChat, startTalk, waitForEnd } from './talk.ts';
import { untilEqual, waitFor } from './waiting.ts';

onChromium('Motion', (browser) => {
  test('is in a message that arrives and in rows that move, not in what is loaded', async (t) => {
    const talk = await startTalk(t);
    const { site, alice, bob, write } = talk;
    const carol = await site.join('carol');
    const count = 150;
    const texts = Array.from({ length: count }, (_, i) => `No. ${i + 1}`);
    await talk.fill((db) => addMessages(db, alice.id, bob.id, texts, 10));
    await write(carol, alice, 'Hello');
    const person = await arrive(t, browser(), site, 'alice');
    const { page } = person;
    await slowMotion(page);
    await person.signIn();
    await page.goto(`${site.url}/chat/${bob.id}`);
    await page.waitForSelector(`[data-testid="message-${count}"]`);
    await waitForEnd(page);
    await waitFor(
      'both rows',
      async () => (await page.$$('[data-testid^="conversation-"][href]')).length === 2,
    );
    assert.deepEqual(await motions(page), []);

    // Older messages are loaded.
    await waitFor('the first message', async () => {
      await page.$eval('[data-testid="messages"]', (list) => list.scrollTo(0, 0));
      return page.$('[data-testid="message-1"]');
    });
    assert.deepEqual(await motions(page), []);
    await page.$eval('[data-testid="messages"]', (list) => list.scrollTo(0, list.scrollHeight));
    await page.waitForSelector(`[data-testid="message-${count}"]`);
    assert.deepEqual(await motions(page), []);

    await write(bob, alice, 'Are you there?');
    const rows = [bob, carol].map(({ id }) => `conversation-${id}: transform, 150 ms`).sort();
    await untilEqual(() => motions(page), [...rows, `message-${count + 1}: opacity transform, 150 ms`]);
    await untilEqual(() => orderOf(page), [bob.id, carol.id]);
  });

  test('is in nothing with reduced motion', async (t) => {
    const talk = await startTalk(t);
    const { site, alice, bob, write } = talk;
    const carol = await site.join('carol');
    await write(bob, alice, 'Hello');
    await write(carol, alice, 'Hello');
    const { page } = await openChat(t, browser(), talk);
    await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
    await page.reload();
    await slowMotion(page);
    await page.waitForSelector('[data-testid="message-1"]');
    await write(bob, alice, 'Are you there?');
    await page.waitForSelector('[data-testid="message-2"]');
    await untilEqual(() => orderOf(page), [bob.id, carol.id]);
    assert.deepEqual(await motions(page), []);
  });
});

/** Animations last so long that none ends during a test. */
async function slowMotion(page: Page): Promise<void> {
  const session = await page.createCDPSession();
  await session.send('Animation.enable');
  await session.send('Animation.setPlaybackRate', { playbackRate: 0.0001 });
}

/** The messages and rows that are in motion: what of them changes, and for how long. */
function motions(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const lines = document.getAnimations().flatMap(({ effect }) => {
      if (!(effect instanceof KeyframeEffect) || effect.target?.closest('[data-state]')) return [];
      const place = effect.target?.closest('[data-message], li');
      const { duration } = effect.getTiming();
      // With reduced motion, all transitions take 0.01 ms.
      if (!place || Number(duration) < 1) return [];
      const name = place.matches('li') ? place.querySelector('[data-testid]') : place;
      const inFrames = ['offset', 'computedOffset', 'easing', 'composite'];
      const changed = effect.getKeyframes().flatMap((frame) => Object.keys(frame));
      const what = [...new Set(changed)].filter((property) => !inFrames.includes(property)).sort();
      return [`${name?.getAttribute('data-testid')}: ${what.join(' ')}, ${duration} ms`];
    });
    return lines.sort();
  });
}

/** The users of the conversations, from top to bottom. */
function orderOf(page: Page): Promise<string[]> {
  return page.$$eval('[data-testid="conversations"] li', (rows) =>
    rows
      .sort((one, other) => Number(one.dataset.index) - Number(other.dataset.index))
      .map((row) => row.querySelector('[data-testid]')?.getAttribute('data-testid')?.slice(13) ?? ''),
  );
}
