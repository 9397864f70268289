import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { comeToRest } from './appearance.ts';
import { onChromium } from './each-browser.ts';
import { startViews, VIEWS } from './views.ts';

/** What the measure may miss of both ends. */
const HALF_STEP_PX = 0.5;

onChromium('Targets of a finger', (browser) => {
  test('are at least 40 px wide and high outside messages, and 44 px in headers, in every view', async (t) => {
    const viewer = await startViews(t, browser());
    const small: string[] = [];
    let count = 0;
    for (const name of Object.keys(VIEWS)) {
      const page = await viewer.open(name);
      for (const width of [390, 320]) {
        await becomePhone(page, width);
        await comeToRest(page);
        const targets = await page.evaluate(measureTargets);
        count += targets.length;
        for (const { of, width: wide, height, least } of targets)
          if (Math.min(wide, height) < least - HALF_STEP_PX)
            small.push(`${name}, ${width}: ${of} is ${wide} x ${height}`);
      }
      await becomePhone(page, undefined);
      await viewer.leave(name);
    }
    assert.ok(count > 300, `${count} targets`);
    assert.deepEqual(small, []);
  });
});

/** Makes the window that of a phone, or of a desktop without `width`. The page's own `setViewport` would load it again. */
async function becomePhone(page: Page, width: number | undefined): Promise<void> {
  const isPhone = width !== undefined;
  const session = await page.createCDPSession();
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: isPhone });
  await session.send('Emulation.setDeviceMetricsOverride', {
    ...{ width: width ?? 1280, height: 800, deviceScaleFactor: 1 },
    mobile: isPhone,
  });
  await page.waitForFunction(
    (wanted, coarse) => innerWidth === wanted && matchMedia('(pointer: coarse)').matches === coarse,
    {},
    width ?? 1280,
    isPhone,
  );
}

/**
 * In the page: how far from its middle each target answers a tap, also on its label and outside its box. An open dialog or
 * menu covers the rest.
 */
function measureTargets(): { of: string; width: number; height: number; least: number }[] {
  const root = document.querySelector('dialog[open], [role="menu"]') ?? document;
  const targets = [
    ...root.querySelectorAll<HTMLElement>('a[href], button, input, textarea, summary, [role="option"]'),
  ];
  return targets.flatMap((target) => {
    const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
    const labels = isField ? [...(target.labels ?? [])] : [];
    const face = labels.find((label) => label.contains(target)) ?? target;
    if (target.closest('[data-message]') || !target.checkVisibility({ visibilityProperty: true })) return [];
    face.scrollIntoView({ block: 'center', inline: 'nearest' });
    const box = face.getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    const isHit = (atX: number, atY: number) => {
      const hit = document.elementFromPoint(atX, atY);
      return hit !== null && [target, face, ...labels].some((one) => one.contains(hit));
    };
    // A link over the middle of another one, or a target that is only for keys and screen readers.
    if (!isHit(x, y)) return [];
    const reach = (stepX: number, stepY: number) => {
      let pixels = 0;
      while (pixels < 60 && isHit(x + stepX * (pixels + 0.5), y + stepY * (pixels + 0.5))) pixels += 0.5;
      return pixels;
    };
    const name = target.getAttribute('data-testid') ?? target.ariaLabel ?? target.textContent;
    return [
      {
        of: `${target.localName} ${name?.slice(0, 40)}`,
        width: reach(-1, 0) + reach(1, 0),
        height: reach(0, -1) + reach(0, 1),
        least: target.closest('[data-column]') ? 44 : 40,
      },
    ];
  });
}
