import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appear, comeToRest, placesOf } from './appearance.ts';
import { assertAccessible } from './axe.ts';
import { onChromium } from './each-browser.ts';
import { openSettings } from './notified-person.ts';
import { arrive, type Person } from './person.ts';
import { WIDE } from './running-browser.ts';
import { startSite, startSiteProcess } from './site.ts';
import { untilEqual, waitFor } from './waiting.ts';

onChromium('The settings', (browser) => {
  test('own profile: unsaved edits survive events and navigation, and only they are sent', async (t) => {
    const site = await startSite(t);
    const alice = await arrive(t, browser(), site, 'alice');
    await alice.signUp();
    const { token } = await signInElsewhere(alice);
    const sent: unknown[] = [];
    alice.page.on('request', (request) => {
      if (request.url() === `${site.url}/api/user/profile`) sent.push(JSON.parse(request.postData() ?? ''));
    });
    await alice.click('own-profile');
    await alice.fill('[name="nickname"]', ' Alice L. ');
    await alice.page.locator('[data-testid="gender"] input[value="female"]').click();
    await site.post('/api/user/profile', { nickname: 'Al', bio: 'From elsewhere' }, token);
    await waitFor('the notice', async () => (await typedIn(alice, 'bio')) === 'From elsewhere');
    assert.equal(await typedIn(alice, 'nickname'), ' Alice L. ');

    await alice.click('nav-people');
    await alice.find('people-search');
    await alice.click('nav-settings');
    await waitForText(alice, 'settings-profile', /Unsaved changes/);
    // Beside the list the profile is open; a narrow screen shows the list alone.
    await alice.page.setViewport({ width: 390, height: 844 });
    await alice.page.waitForSelector('[name="nickname"]', { hidden: true });
    await alice.page.setViewport(WIDE);
    await alice.page.waitForSelector('[data-testid="settings-profile"][aria-current="page"]');
    await alice.page.waitForSelector('[name="nickname"]');
    assert.ok(alice.page.url().endsWith('/settings'));
    await waitFor('what was typed', async () => (await typedIn(alice, 'nickname')) === ' Alice L. ');
    await alice.click('save-profile');
    await waitForText(alice, 'toasts', /^Saved\./);
    assert.deepEqual(sent, [{ nickname: 'Alice L.', gender: 'female' }]);
    await waitFor(
      'the way back to go',
      async () => (await alice.page.$('[data-testid="undo-profile"]')) === null,
    );
    assert.doesNotMatch(await textOf(alice, 'settings-profile'), /Unsaved changes/);

    await alice.fill('[name="nickname"]', 'Mallory');
    await alice.click('undo-profile');
    assert.equal(await typedIn(alice, 'nickname'), 'Alice L.');
    await alice.fill('[name="nickname"]', '');
    await alice.click('save-profile');
    await waitFor('the username', async () => (await typedIn(alice, 'nickname')) === 'alice');
  });

  test('the profile begins with picture and name, and Save is on the screen from the first change', async (t) => {
    const site = await startSite(t);
    const alice = await arrive(t, browser(), site, 'alice');
    await alice.signUp();
    const { page } = alice;
    await appear(t, browser(), page, { width: 390, height: 740 });
    await page.goto(`${site.url}/settings/profile`);
    await alice.find('gender');
    const order = await page.$$eval(
      'form :is(span[data-initials], input:not([type="radio"], [hidden]), textarea, fieldset)',
      (all) => all.map((one) => one.getAttribute('name') ?? one.tagName),
    );
    assert.deepEqual(order, ['SPAN', 'nickname', 'avatar', 'bio', 'phone', 'email', 'FIELDSET']);
    const seen = () =>
      page.$eval('[data-testid="save-profile"]', (button) => {
        if (!button.checkVisibility({ visibilityProperty: true })) return 'hidden';
        const { x, y, width, height } = button.getBoundingClientRect();
        const hit = document.elementFromPoint(x + width / 2, y + height / 2);
        return button.contains(hit) ? 'there' : 'covered';
      });
    assert.equal(await seen(), 'hidden');
    await alice.fill('[name="nickname"]', 'Alice L.');
    assert.equal(await seen(), 'there');
    await assertAccessible(page, 'a changed profile');
    // What an on-screen keyboard leaves of a phone.
    await appear(t, browser(), page, { width: 390, height: 420 });
    assert.equal(await seen(), 'there');
    await page.focus('[name="email"]');
    assert.equal(await seen(), 'there');
    const isCovered = await page.$eval('[name="email"]', (field) => {
      const bar = document.querySelector('[data-floor]')?.getBoundingClientRect();
      return field.getBoundingClientRect().bottom > (bar?.top ?? 0);
    });
    assert.equal(isCovered, false);
    await alice.click('save-profile');
    await waitFor('it to go', async () => (await seen()) === 'hidden');
    const isAtHeading = () => page.evaluate(() => document.activeElement?.tagName === 'H1');
    await waitFor('the heading', isAtHeading);
    await alice.fill('[name="nickname"]', 'Al');
    await alice.click('undo-profile');
    await waitFor('the heading again', isAtHeading);
    assert.equal(await seen(), 'hidden');

    await alice.fill('[name="phone"]', 'call me');
    await alice.click('save-profile');
    await waitFor('the error', async () => (await focused(alice)) === 'phone');
    await comeToRest(page);
    const colors = await page.$eval('[name="phone"]', (field) => {
      const { borderColor, outlineColor, outlineStyle } = getComputedStyle(field);
      const error = document.createElement('i');
      error.style.color = 'var(--mantine-color-error)';
      field.after(error);
      const { color } = getComputedStyle(error);
      error.remove();
      return { isBorder: borderColor === color, isOutline: outlineColor === color, outlineStyle };
    });
    assert.deepEqual(colors, { isBorder: true, isOutline: true, outlineStyle: 'solid' });
    const media = await page.createCDPSession();
    const features = [{ name: 'forced-colors', value: 'active' }];
    await media.send('Emulation.setEmulatedMedia', { features });
    assert.equal(
      await page.$eval('[name="phone"]', (field) => getComputedStyle(field).borderStyle),
      'dashed',
    );
    await media.detach();
    await alice.click('undo-profile');
  });

  test('a click on a button counts even if a new error moves it, and the first invalid field gets the focus', async (t) => {
    const site = await startSite(t);
    const alice = await arrive(t, browser(), site, 'alice');
    await alice.signUp();
    await alice.page.setViewport({ width: 360, height: 740 });
    await alice.page.goto(`${site.url}/settings/profile`);
    await alice.find('save-profile');
    await alice.fill('[name="avatar"]', 'javascript:alert(1)');
    await alice.fill('[name="phone"]', 'call me');
    await alice.page.focus('[name="phone"]');
    // Press and release are separate: the error of the field that loses the focus appears between them.
    const button = await alice.page.waitForSelector('[data-testid="save-profile"]');
    const box = (await button?.boundingBox()) ?? assert.fail();
    await alice.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await alice.page.mouse.down();
    await alice.page.mouse.up();
    await waitFor('the first error', async () => (await focused(alice)) === 'avatar');
    assert.deepEqual(await alice.page.$$eval('form [aria-invalid="true"]', nameAll), ['avatar', 'phone']);
    await alice.fill('[name="avatar"]', '/icons/icon-192.png');
    await alice.fill('[name="phone"]', '');
    await alice.page.waitForSelector('form img[src$="/icons/icon-192.png"]');
    await alice.click('save-profile');
    await waitForText(alice, 'toasts', /^Saved\./);
  });

  test('a new password needs the old one, and signs out all other devices', async (t) => {
    const site = await startSite(t);
    const alice = await arrive(t, browser(), site, 'alice');
    alice.faults.expect(/^400 POST \/api\/user\/change-password$/);
    await alice.signUp();
    const { token } = await signInElsewhere(alice);
    await openSettings(alice, 'security');
    await waitFor('both sessions', async () => (await sessions(alice)) === 2);
    await alice.fill('[name="oldPassword"]', 'not hers');
    await alice.fill('[name="newPassword"]', '12345');
    await alice.click('change-password');
    await waitFor('what is wrong', async () => (await focused(alice)) === 'newPassword');
    await alice.fill('[name="newPassword"]', 'looking-glass');
    await alice.click('change-password');
    await waitFor('what else is wrong', async () => (await focused(alice)) === 'oldPassword');
    assert.match(await textOf(alice, 'pane'), /Your current password is wrong\./);
    await alice.fill('[name="oldPassword"]', alice.password);
    await alice.click('change-password');
    await waitForText(alice, 'toasts', /Password changed\. All other devices are signed out\./);
    assert.deepEqual([await typedIn(alice, 'oldPassword'), await typedIn(alice, 'newPassword')], ['', '']);
    await waitFor('the other to go', async () => (await sessions(alice)) === 1);
    assert.equal((await site.get('/api/sessions', token)).status, 401);
    const again = { username: 'alice', password: 'looking-glass' };
    assert.equal((await site.post('/api/login', again)).status, 200);
  });

  test('a session leaves the list when it ends anywhere, one by one or all others at once', async (t) => {
    const site = await startSite(t);
    const alice = await arrive(t, browser(), site, 'alice');
    await alice.signUp();
    const tokens: string[] = [];
    for (let i = 0; i < 4; i++) tokens.push((await signInElsewhere(alice)).token);
    await openSettings(alice, 'security');
    await waitFor('all of them', async () => (await sessions(alice)) === 5);
    assert.equal((await alice.page.$$('[data-testid^="end-"]:not([data-testid="end-others"])')).length, 4);

    await site.post('/api/logout', {}, tokens[0]);
    await waitFor('the first to go', async () => (await sessions(alice)) === 4);
    const [{ id }] = (await site.get('/api/sessions', tokens[1])).body.data.filter(
      (session: { current: number }) => session.current === 1,
    );
    await alice.click(`end-${id}`);
    await alice.confirm();
    await waitFor('the second to go', async () => (await sessions(alice)) === 3);
    assert.equal((await site.get('/api/sessions', tokens[1])).status, 401);
    await alice.click('end-others');
    await waitForText(alice, 'confirm-dialog', /2 other devices will be signed out right away\./);
    await alice.confirm();
    await waitFor('this one alone', async () => (await sessions(alice)) === 1);
    assert.equal((await site.get('/api/sessions', tokens[3])).status, 401);
    await waitFor('no more to end', async () => (await alice.page.$('[data-testid="end-others"]')) === null);
  });

  test('blocked users are listed until they are unblocked', async (t) => {
    const site = await startSite(t);
    const alice = await arrive(t, browser(), site, 'alice');
    await alice.signUp();
    const bob = await site.join('bob');
    const { token } = await signInElsewhere(alice);
    await site.post('/api/user/block', { blockedId: bob.id }, token);
    await alice.click('nav-settings');
    await waitForText(alice, 'settings-blocked', /1 person/);
    await alice.click('settings-blocked');
    await waitForText(alice, `blocked-${bob.id}`, /bob\s+Blocked just now\s+Unblock$/);
    await alice.click(`unblock-${bob.id}`);
    await alice.confirm();
    await waitForText(alice, 'pane', /You haven’t blocked anyone/);
    await waitForText(alice, 'settings-blocked', /None/);
    await untilEqual(() => alice.page.evaluate(() => document.activeElement?.tagName), 'H1');
    assert.deepEqual((await site.get('/api/user/blocked', token)).body.data, []);
  });

  test('a list that could not be loaded says so, and is loaded when the service is back', async (t) => {
    const site = await startSiteProcess(t);
    const alice = await arrive(t, browser(), site, 'alice');
    await alice.signUp();
    // The files of the pages are cached; their data is not.
    await openSettings(alice, 'log');
    await waitForText(alice, 'pane', /No notifications yet/);
    await openSettings(alice, 'security');
    await waitFor('the session', async () => (await sessions(alice)) === 1);
    await openSettings(alice, 'notifications');
    await alice.find('push-here');
    alice.faults.expectOutage();
    await site.kill();
    await openSettings(alice, 'security');
    await alice.find('retry');
    assert.match(
      await textOf(alice, 'pane'),
      /Can’t reach the server\. Check your connection and try again\./,
    );
    await site.start();
    await waitFor('the session', async () => (await sessions(alice)) === 1);
    assert.equal(await alice.page.$('[data-testid="retry"]'), null);
  });

  test('the invitation comes below the conversations after the first message to the user, and stays away after a no', async (t) => {
    const site = await startSite(t);
    const alice = await arrive(t, browser(), site, 'alice');
    await alice.signUp();
    const bob = await site.join('bob');
    const isInvited = async () => (await alice.page.$('[data-testid="push-invitation"]')) !== null;
    await alice.find('find-people');
    assert.equal(await isInvited(), false);
    await alice.openChat(bob);
    await alice.write('Hello');
    await alice.click('nav-settings');
    // By then the page knows whether it could invite.
    await waitForText(alice, 'settings-notifications', /Off for this device/);
    await alice.click('nav-chats');
    await alice.find(`conversation-${bob.id}`);
    assert.equal(await isInvited(), false);
    const before = await placesOf(alice.page, '[data-testid^="conversation-"]');
    await site.post('/api/messages', { to: alice.id, cid: 'first', body: 'Hello' }, bob.token);
    await alice.page.waitForSelector('[data-testid="conversations"] ul ~ * [data-testid="push-invitation"]');
    assert.deepEqual(await placesOf(alice.page, '[data-testid^="conversation-"]'), before);
    for (const width of [320, 390, 768, 1280]) {
      await appear(t, browser(), alice.page, { width });
      const { height = 0 } =
        (await (await alice.page.waitForSelector('[data-testid="push-invitation"]'))?.boundingBox()) ?? {};
      assert.ok(height > 0 && height <= 64, `${height} pixels of a window of ${width}`);
      assert.equal(await alice.page.$('[data-testid="push-invitation"]:not(:has(button ~ button))'), null);
    }
    alice.faults.expectOutage();
    alice.faults.expect(/ERR_INTERNET_DISCONNECTED/);
    await alice.page.setOfflineMode(true);
    await waitFor('it to go', async () => !(await isInvited()));
    await alice.page.setOfflineMode(false);
    await alice.find('push-invitation');
    await alice.click('nav-settings');
    await waitFor('it to go', async () => !(await isInvited()));
    await alice.click('nav-chats');
    await alice.find('push-invitation');
    await alice.page.locator('[data-testid="push-invitation"] button:last-of-type').click();
    await waitFor('it to go', async () => !(await isInvited()));
    await alice.page.reload();
    await alice.click('nav-settings');
    // By then the page knows whether it could invite.
    await waitForText(alice, 'settings-notifications', /Off for this device/);
    await alice.click('nav-chats');
    await alice.find(`conversation-${bob.id}`);
    assert.equal(await isInvited(), false);
  });
});

function typedIn({ page }: Person, name: string): Promise<string> {
  return page.$eval(`form [name="${name}"]`, (input) => ('value' in input ? String(input.value) : ''));
}

async function signInElsewhere({ site, username, password }: Person): Promise<{ token: string }> {
  return (await site.post('/api/login', { username, password })).body.data;
}

function nameAll(elements: Element[]): (string | null)[] {
  return elements.map((element) => element.getAttribute('name'));
}

function focused({ page }: Person): Promise<string | null | undefined> {
  return page.evaluate(() => document.activeElement?.getAttribute('name'));
}

/** @param testId a test id, or `pane` for the open page of the settings */
async function textOf({ page }: Person, testId: string): Promise<string> {
  const selector = testId === 'pane' ? '[data-pane="page"]' : `[data-testid="${testId}"]`;
  return (await page.$$eval(selector, ([element]) => (element as HTMLElement | undefined)?.innerText)) ?? '';
}

async function waitForText(person: Person, testId: string, pattern: RegExp): Promise<void> {
  await waitFor(`${testId} to say ${pattern}`, async () => pattern.test(await textOf(person, testId)));
}

/** The number of listed sessions. */
async function sessions({ page }: Person): Promise<number> {
  return (await page.$$('[data-testid^="session-"]')).length;
}
