import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPasswords } from '../../src/accounts/passwords.ts';
import type { Services } from '../../src/services.ts';
import { chatPath, profilePath } from '../../web/src/paths.ts';
import { addUser } from '../people.ts';
import { onChromium } from './each-browser.ts';
import { arrive } from './person.ts';
import { startSite } from './site.ts';
import { isKept } from './talk.ts';
import { waitFor } from './waiting.ts';

/** Their ids are those of a product. */
const USERS = {
  alice: { id: '4', username: 'alice' },
  odd: { id: 'auth0|7:eu.a@b~c', username: 'odd' },
  named: { id: 'friends', username: 'named' },
  forty: { id: '42', username: 'forty' },
  longer: { id: '420', username: 'longer' },
};

onChromium('Users with the ids of a product', (browser) => {
  test('have rows, chats, profiles, presence, requests and blocks of their own', async (t) => {
    const opened = Promise.withResolvers<Services>();
    const site = await startSite(t, { opened: opened.resolve });
    const { db } = await opened.promise;
    const passwords = openPasswords({ cost: 4 });
    for (const user of Object.values(USERS))
      await addUser(db, user.username, {
        id: user.id,
        password_hash: await passwords.hash(`password-of-${user.username}`),
      });
    const tokenOf = async ({ username }: (typeof USERS)['odd']) => {
      const { body } = await site.post('/api/login', { username, password: `password-of-${username}` });
      return body.data.token as string;
    };
    const { odd, named, forty, longer } = USERS;
    const alice = await arrive(t, browser(), site, 'alice');
    await alice.signIn();
    assert.equal(alice.id, '4');
    const { page } = alice;
    const isAt = (path: string) =>
      waitFor(`the address ${path}, not ${page.url()}`, () => page.url() === site.url + path);

    // A chat, from the list, at both spellings of its address, and with what comes into it.
    await alice.openChat(odd);
    await alice.write('hello');
    await alice.waitForMessage('hello', 'stored');
    const token = await tokenOf(odd);
    const sent = await site.get('/api/conversations', token);
    assert.deepEqual([sent.body.data[0].peer, sent.body.data[0].last.body], ['4', 'hello']);
    for (const spelling of [encodeURIComponent(odd.id), odd.id]) {
      await page.goto(`${site.url}/chat/${spelling}`);
      await alice.waitForMessage('hello');
      await isAt(chatPath(odd.id));
      await waitFor('the chosen row', () =>
        page.$(`[data-testid="conversation-${odd.id}"][aria-current="page"]`),
      );
    }
    const answer = { to: '4', cid: 'c1', body: 'hello back' };
    assert.equal((await site.post('/api/messages', answer, token)).status, 200);
    await alice.waitForMessage('hello back');

    // Profiles, also of an id that is a word of the page.
    for (const user of [odd, named, forty, longer]) {
      await page.goto(`${site.url}/people/${encodeURIComponent(user.id)}`);
      await alice.find('profile');
      await isAt(profilePath(user.id));
      await waitFor(`the name of ${user.username}`, () =>
        page.$eval(
          '[data-testid="profile"]',
          (profile, name) => profile.textContent?.includes(name),
          user.username,
        ),
      );
      await waitFor('the filter, which is not a profile', () =>
        page.$('[data-testid="people-filter-all"] :checked'),
      );
    }

    // 42 is online, and 420 is not.
    const other = await arrive(t, browser(), site, 'forty');
    await other.signIn();
    await page.goto(`${site.url}/people`);
    const presenceOf = (id: string) =>
      page.$(`li:has([data-testid="person-${id}"]) [data-presence="online"]`);
    await alice.find(`person-${longer.id}`);
    await waitFor('the presence of 42', () => presenceOf(forty.id));
    assert.equal(await presenceOf(longer.id), null);

    // A message and a request of one of them are theirs.
    await other.openChat({ id: '4', username: 'alice' });
    await other.write('from 42');
    await alice.click('nav-chats');
    await alice.waitForUnread(forty, 1);
    const asked = await site.post('/api/friends/request', { userId: '4' }, await tokenOf(longer));
    assert.equal(asked.status, 200);
    await page.goto(`${site.url}/people?show=requests`);
    await alice.click(`accept-${longer.id}`);
    await page.goto(`${site.url}/people?show=friends`);
    await alice.find(`person-${longer.id}`);
    assert.equal(await page.$(`[data-testid="person-${forty.id}"]`), null);

    await alice.openChat(named);
    await alice.choose('block');
    await page.goto(`${site.url}/settings/blocked`);
    await alice.find(`blocked-${named.id}`);
    await alice.click(`unblock-${named.id}`);
    await alice.confirm();
    await waitFor('no block', async () => (await page.$(`[data-testid="blocked-${named.id}"]`)) === null);

    // What is stored on the device is read again.
    await page.goto(`${site.url}${chatPath(odd.id)}`);
    await alice.fill('[data-testid="composer"]', 'half a sentence');
    await waitFor('the draft in the storage', () => page.evaluate(isKept, 'half a sentence'));
    await page.reload();
    await waitFor('the draft', () =>
      page.$eval(
        '[data-testid="composer"]',
        (field) => (field as HTMLTextAreaElement).value === 'half a sentence',
      ),
    );
  });
});
