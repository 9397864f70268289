import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import type { Db } from '../../src/db/db.ts';
import { appear, assertFits } from './appearance.ts';
import { onChromium } from './each-browser.ts';
import { openSettings } from './notified-person.ts';
import { arrive, type Person } from './person.ts';
import { startSite } from './site.ts';
import { textOf } from './talk.ts';
import { waitFor } from './waiting.ts';

const HOUR_MS = 3_600_000;
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';
const ANDROID =
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Mobile Safari/537.36';

onChromium('The sessions of a user', (browser) => {
  test('say device, last use, sign-in and address, and are up to date without an event', async (t) => {
    const dbs: Db[] = [];
    const opened = ({ db }: { db: Db }) => void dbs.push(db);
    const site = await startSite(t, { env: { TRUST_PROXY: 'loopback' }, opened });
    const db = dbs[0] ?? assert.fail();
    const alice = await arrive(t, browser(), site, 'alice');
    await hurryMinutes(alice.page);
    await alice.signUp();
    const phone = await signInFrom(alice, '2001:1db8:85a3:1234:5678:8a2e:9370:7334', IPHONE);
    const tablet = await signInFrom(alice, '203.0.113.7', ANDROID);
    await db.run`update sessions set created_at = created_at - ${48 * HOUR_MS}`;
    await db.run`update sessions set used_at = used_at - ${3 * HOUR_MS} where id = ${phone.id}`;
    await openSettings(alice, 'security');
    await alice.find(`session-${phone.id}`);
    const signedIn = 'Signed in 2 days ago';
    assert.deepEqual(await rows(alice.page), [
      ['Chrome on Linux', 'This device', `Active now · ${signedIn}`, 'IP address 127.0.0.1'],
      ['Chrome on Android', `Active in the last hour · ${signedIn}`, 'IP address 203.0.113.7', 'Sign out'],
      [
        'Safari on iPhone',
        `Active 3 hours ago · ${signedIn}`,
        'IP address 2001:1db8:85a3:1234:5678:8a2e:9370:7334',
        'Sign out',
      ],
    ]);
    await appear(t, browser(), alice.page, { width: 320, height: 740 });
    await assertFits(alice.page, 'the sessions at 320 pixels');

    const waitForText = (testId: string, pattern: RegExp) =>
      waitFor(`${pattern}`, async () => pattern.test(await textOf(alice.page, `[data-testid="${testId}"]`)));
    await alice.click(`end-${tablet.id}`);
    await waitForText('confirm-dialog', /Sign out Chrome on Android\?/);
    await alice.confirm();
    await waitForText('toasts', /^Signed out Chrome on Android\./);
    const elsewhere = await arrive(t, browser(), site, 'alice');
    await elsewhere.signIn();
    const [{ id }] = (await site.get('/api/sessions', phone.token)).body.data;
    await waitForText(`session-${id}`, /^Chrome on LinuxActive now/);
    await elsewhere.closePage();
    await waitForText(`session-${id}`, /^Chrome on LinuxActive in the last hour/);
  });
});

/** The lines of each session, as they are seen. */
function rows(page: Page): Promise<string[][]> {
  return page.$$eval('[data-testid^="session-"]', (items) =>
    items.map((item) => (item as HTMLElement).innerText.split(/\s*\n\s*/)),
  );
}

/** Signs in as another device would, from behind a proxy that names its address. */
async function signInFrom({ site, username, password }: Person, address: string, userAgent: string) {
  const answer = await fetch(`${site.url}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': userAgent, 'x-forwarded-for': address },
    body: JSON.stringify({ username, password }),
  });
  const { token } = (await answer.json()).data;
  const { data } = (await site.get('/api/sessions', token)).body;
  const { id } = data.find((session: { current: number }) => session.current === 1);
  return { id, token };
}

/** From the next document on, the page does every 3 s what it does every minute. */
async function hurryMinutes(page: Page): Promise<void> {
  await page.evaluateOnNewDocument(() => {
    const { setInterval } = window;
    window.setInterval = ((act: () => void, ms = 0) =>
      setInterval(act, ms >= 60_000 ? ms / 20 : ms)) as typeof setInterval;
  });
}
