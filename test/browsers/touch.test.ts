import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comeToRest } from './appearance.ts';
import { onChromium } from './each-browser.ts';
import { arrive } from './person.ts';
import { startTalk } from './talk.ts';

onChromium('Fields on a touch screen', (browser) => {
  test('have letters of 16 px, so that iOS does not zoom into them, and both searches look the same', async (t) => {
    const { site, alice, bob, write } = await startTalk(t);
    await write(bob, alice, 'hi');
    const her = await arrive(t, browser(), site, 'alice');
    const { page } = her;
    await page.setViewport({ width: 390, height: 844, isMobile: true, hasTouch: true });
    const look = async (path: string, shows: string) => {
      await page.goto(site.url + path);
      await her.find(shows);
      const { isTouch, small, count } = await page.evaluate(() => {
        const fields = [...document.querySelectorAll('input, textarea, select')].filter(
          (field) => !field.matches('[type="radio"], [type="checkbox"], [hidden]'),
        );
        const isSmall = (field: Element) => Number.parseFloat(getComputedStyle(field).fontSize) < 16;
        return {
          isTouch: matchMedia('(pointer: coarse)').matches,
          small: fields.filter(isSmall).map((field) => field.outerHTML.slice(0, 100)),
          count: fields.length,
        };
      });
      assert.ok(isTouch && count > 0, `${path} has ${count} fields`);
      assert.deepEqual(small, [], path);
    };
    await look('/sign-up', 'enter');
    await look('/sign-in', 'enter');
    await her.signIn();
    await look('/settings/profile', 'save-profile');
    await look('/settings/security', 'change-password');
    await look(`/chat/${bob.id}`, 'composer');
    const looks: unknown[] = [];
    for (const [path, testId] of [
      ['/', 'conversation-search'],
      ['/people', 'people-search'],
    ] as const) {
      await look(path, testId);
      await her.fill(`[data-testid="${testId}"]`, 'zzz');
      await comeToRest(page);
      looks.push(
        await page.$eval(`[data-testid="${testId}"]`, (field) => {
          const { width, height, left } = field.getBoundingClientRect();
          const { fontSize, backgroundColor, border, borderRadius, paddingInline, color } =
            getComputedStyle(field);
          const placeholder = getComputedStyle(field, '::placeholder').color;
          const clear = field.closest('search')?.querySelector('button')?.getBoundingClientRect();
          return {
            ...{ width, height, left, fontSize, backgroundColor, border, borderRadius, paddingInline, color },
            ...{ placeholder, clear: [clear?.width, clear?.height, clear?.left] },
          };
        }),
      );
    }
    assert.deepEqual(looks[0], looks[1]);
  });
});
