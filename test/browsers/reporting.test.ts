import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { assertAccessible } from './axe.ts';
import { onChromium } from './each-browser.ts';
import { arrive, type Person } from './person.ts';
import type { RunningBrowser } from './running-browser.ts';
import { type Site, startSite } from './site.ts';
import { untilEqual, waitFor } from './waiting.ts';

onChromium('Reports', (browser) => {
  test('a message is reported from its menu, with further ones of its sender, and the sender blocked', async (t) => {
    const { site, alice, bob } = await meet(t, browser());
    await bob.openChat(alice);
    for (const body of ['one', 'two', 'three']) await bob.write(body);
    await alice.openChat(bob);
    await alice.write('own');
    await bob.write('four');
    await alice.waitForMessage('four');
    const { page } = alice;

    // By the pointer: her own message cannot be reported.
    await page.locator('[data-testid="message-4"] [data-key]').click({ button: 'right' });
    await alice.find('menu-copy');
    assert.equal(await page.$('[data-testid="menu-report-message"]'), null);
    await page.keyboard.press('Escape');
    await page.waitForSelector('[data-testid="message-menu"]', { hidden: true });
    assert.equal(await focused(alice), 'message-4');

    // By the keyboard: the second message has the focus.
    await page.focus('[data-testid="message-2"]');
    await page.$eval('[data-testid="message-2"]', (row) => {
      const { x, y } = row.getBoundingClientRect();
      row.dispatchEvent(
        new MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX: x, clientY: y }),
      );
    });
    await alice.find('menu-report-message');
    await untilEqual(() => focused(alice), 'react-👍');
    await assertAccessible(page, 'the menu of a message');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await alice.find('report-dialog');
    const boxes = () =>
      page.$$eval('[data-testid="report-messages"] label', (labels) =>
        labels.map((label) => `${label.textContent} ${label.querySelector('input')?.checked}`),
      );
    await untilEqual(boxes, ['one false', 'two true', 'three false', 'four false']);
    await assertAccessible(page, 'the report dialog');
    await page.locator('[data-testid="report-messages"] label:last-of-type').click();
    await page.locator('[value="abuse"]').click();
    await alice.fill('[data-testid="report-text"]', ' He insults me. ');
    await alice.click('report-block');
    await alice.click('report-send');
    await alice.find('report-close');
    await assertAccessible(page, 'the confirmation of a report');
    await page.keyboard.press('Enter');
    await page.waitForSelector('dialog', { hidden: true });
    assert.equal(await focused(alice), 'message-2', 'the focus is back');
    await alice.find('composer-blocked');

    const [id = ''] = (await site.command('reports', '--open')).split(' ');
    const { reason, text, messages, reporter_id: by } = JSON.parse(await site.command('report', id));
    assert.deepEqual([reason, text, by], ['abuse', 'He insults me.', alice.id]);
    assert.deepEqual(
      messages.map(({ body }: { body: string }) => body),
      ['two', 'four'],
    );
  });

  test('a person is reported from the chat and from their profile; the eleventh report of a day says so', async (t) => {
    const { site, alice, bob } = await meet(t, browser());
    alice.faults.expect(/^429 POST \/api\/report$/);
    for (let i = 0; i < 8; i++)
      await site.post('/api/report', { userId: bob.id, reason: 'spam' }, await tokenOf(site, alice.username));
    await alice.openProfile(bob);
    await alice.click('report');
    await alice.click('report-cancel');
    await alice.page.waitForSelector('dialog', { hidden: true });
    assert.equal(await focused(alice), 'report');
    for (const open of [
      () => alice.click('report'),
      async () => {
        await alice.openChat(bob);
        await alice.choose('report');
      },
    ]) {
      await open();
      await alice.click('report-send');
      await alice.click('report-close');
      await alice.page.waitForSelector('dialog', { hidden: true });
    }
    await alice.choose('report');
    await alice.click('report-send');
    await waitFor('the refusal', () =>
      alice.page.$eval('dialog [role="alert"]', ({ textContent }) => textContent?.includes('tomorrow')),
    );
    assert.equal((await site.command('reports')).split('\n').length, 11);
  });
});

async function focused({ page }: Person): Promise<string | undefined> {
  return page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset.testid);
}

async function tokenOf(site: Site, username: string): Promise<string> {
  const { body } = await site.post('/api/login', { username, password: `password-of-${username}` });
  return String(body.data.token);
}

async function meet(t: TestContext, browser: RunningBrowser) {
  const site = await startSite(t);
  const [alice, bob] = [await arrive(t, browser, site, 'alice'), await arrive(t, browser, site, 'bob')];
  await alice.signUp();
  await bob.signUp();
  return { site, alice, bob };
}
