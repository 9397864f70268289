import type { Page } from 'puppeteer-core';
import { comeToRest } from './appearance.ts';
import { choosePicture } from './chosen-file.ts';
import { fill } from './controls.ts';
import type { Scope } from './endings.ts';
import { startHardStory } from './hard-story.ts';
import { setOffline } from './offline.ts';
import { arrive, type Person } from './person.ts';
import type { RunningBrowser } from './running-browser.ts';
import { idOf } from './story.ts';

/** A view of the page that is looked at, in each width, scheme and language. */
interface View {
  /** Who sees it: without an account, with a new one, or in the middle of the story. */
  who: 'visitor' | 'newcomer' | 'alice';
  path: string | ((id: (username: string) => string) => string);
  /** The selector of an element that is there once the view is complete. */
  shows: string;
  /** What is done after the path is open and before `shows`. */
  act?: (page: Page, browser: RunningBrowser) => Promise<void>;
  leave?: (page: Page, browser: RunningBrowser) => Promise<void>;
}

/** As long as a run over all views may take. */
const CODE_MS = 3_600_000;
const WIDE = 'W'.repeat(32);
/** Asked for the deletion of their account. */
const LEAVER = 'leaver';
const INVITATION_KEY = 'doorman.push-invitation';
const byId = (testId: string) => `[data-testid="${testId}"]`;
const click = (testId: string) => (page: Page) => page.locator(byId(testId)).click();

export const VIEWS: Record<string, View> = {
  'sign-up': { who: 'visitor', path: '/sign-up', shows: byId('enter') },
  'sign-in-refused': {
    who: 'visitor',
    path: '/sign-in',
    act: async (page) => {
      await page.waitForSelector(byId('enter'));
      await fill(page, '[name="username"]', 'alice');
      await fill(page, '[name="password"]', 'not hers');
      await click('enter')(page);
    },
    shows: '[aria-invalid="true"]',
  },
  'keep-account': {
    who: 'visitor',
    path: '/sign-in',
    act: async (page) => {
      await page.waitForSelector(byId('enter'));
      await fill(page, '[name="username"]', LEAVER);
      await fill(page, '[name="password"]', `password-of-${LEAVER}`);
      await click('enter')(page);
    },
    shows: byId('keep-account'),
  },
  'set-password': { who: 'visitor', path: '/set-password#of-no-link', shows: byId('enter') },
  'set-password-refused': {
    who: 'visitor',
    path: '/set-password#of-no-link',
    act: async (page) => {
      await page.waitForSelector(byId('enter'));
      await fill(page, '[name="password"]', 'wonderland');
      await click('enter')(page);
    },
    shows: byId('link-invalid'),
  },
  forgot: { who: 'visitor', path: '/forgot-password', shows: byId('enter') },
  'forgot-sent': {
    who: 'visitor',
    path: '/forgot-password',
    act: async (page) => {
      await page.waitForSelector(byId('enter'));
      await fill(page, '[name="account"]', 'alice');
      await click('enter')(page);
    },
    shows: byId('link-done'),
  },
  'verify-email': { who: 'visitor', path: '/verify-email#of-no-link', shows: byId('enter') },
  'end-session': { who: 'visitor', path: '/end-session#of-no-link', shows: byId('enter') },
  'end-session-refused': {
    who: 'visitor',
    path: '/end-session#of-no-link',
    act: click('enter'),
    shows: byId('link-invalid'),
  },
  newcomer: { who: 'newcomer', path: '/', shows: byId('find-people') },
  invitation: {
    who: 'alice',
    path: '/',
    act: async (page) => {
      // Leaving while files load aborts them, which is reported as a fault.
      await page.waitForSelector(byId('conversations'));
      await page.evaluate((key) => localStorage.removeItem(key), INVITATION_KEY);
      await page.reload();
    },
    shows: byId('push-invitation'),
    leave: (page) => page.evaluate((key) => localStorage.setItem(key, String(Date.now())), INVITATION_KEY),
  },
  'found-chats': {
    who: 'alice',
    path: '/',
    act: async (page) => {
      await page.waitForSelector(byId('conversations'));
      await fill(page, byId('conversation-search'), 'p');
    },
    shows: '[data-found] [data-testid^="person-"]',
  },
  'found-messages': {
    who: 'alice',
    path: '/',
    act: async (page) => {
      await page.waitForSelector(byId('conversations'));
      await fill(page, byId('conversation-search'), 'on');
    },
    shows: '[data-testid^="hit-"]',
  },
  'nothing-found': {
    who: 'alice',
    path: '/',
    act: async (page) => {
      await page.waitForSelector(byId('conversations'));
      await fill(page, byId('conversation-search'), 'nothing like this');
    },
    shows: byId('list-find-people'),
    leave: (page) => fill(page, byId('conversation-search'), ''),
  },
  'chat-search': {
    who: 'alice',
    path: (id) => `/chat/${id('jonas')}?q=the+bridge`,
    shows: `${byId('chat-searched')} p`,
  },
  'chat-search-empty': {
    who: 'alice',
    path: (id) => `/chat/${id('jonas')}?q=`,
    shows: byId('chat-search'),
  },
  'new-message': {
    who: 'alice',
    path: '/',
    act: click('new-message'),
    shows: 'dialog [role="option"]',
  },
  chat: { who: 'alice', path: (id) => `/chat/${id('jonas')}`, shows: byId('message-7') },
  'chat-menu': {
    who: 'alice',
    path: (id) => `/chat/${id('layla')}`,
    act: click('menu'),
    shows: '[role="menu"]',
  },
  'conversation-menu': {
    who: 'alice',
    path: '/archived',
    act: async (page) => {
      await page.waitForSelector('[data-testid="conversations"] li');
      await page.locator('[data-testid^="conversation-"] [data-testid="marks"]').click({ button: 'right' });
    },
    shows: byId('conversation-menu'),
  },
  'mute-dialog': {
    who: 'alice',
    path: (id) => `/chat/${id('jonas')}`,
    act: async (page) => {
      await click('menu')(page);
      await click('menu-mute')(page);
    },
    shows: byId('mute-dialog'),
  },
  'delete-dialog': {
    who: 'alice',
    path: (id) => `/chat/${id(WIDE)}`,
    act: async (page) => {
      await click('menu')(page);
      await click('menu-delete')(page);
    },
    shows: byId('confirm-dialog'),
  },
  archived: { who: 'alice', path: '/archived', shows: '[data-testid^="conversation-"]' },
  'no-archived': { who: 'newcomer', path: '/archived', shows: byId('no-archived') },
  'message-menu': {
    who: 'alice',
    path: (id) => `/chat/${id('jonas')}`,
    act: async (page) => {
      await page.locator('[data-message]:not([data-own]) [data-key]').click({ button: 'right' });
    },
    shows: byId('menu-report-message'),
  },
  'changed-messages': { who: 'alice', path: (id) => `/chat/${id('nora')}`, shows: byId('quote') },
  'unsend-question': {
    who: 'alice',
    path: (id) => `/chat/${id('nora')}`,
    act: async (page) => {
      await page.locator('[data-message][data-own]:not([data-unsent]) [data-key]').click({ button: 'right' });
      await click('menu-unsend')(page);
    },
    shows: `dialog[open] ${byId('confirm-yes')}`,
  },
  'edited-message': {
    who: 'alice',
    path: (id) => `/chat/${id('nora')}`,
    act: async (page) => {
      await page.locator('[data-message][data-own]:not([data-unsent]) [data-key]').click({ button: 'right' });
      await click('menu-edit')(page);
    },
    shows: byId('composing-edit'),
    leave: (page) => page.locator(byId('composing-cancel')).click(),
  },
  'emoji-picker': {
    who: 'alice',
    path: (id) => `/chat/${id('nora')}`,
    act: async (page) => {
      await page.locator('[data-message][data-own]:not([data-unsent]) [data-key]').click({ button: 'right' });
      await click('react-more')(page);
    },
    shows: `dialog[open] ${byId('emoji-grid')}`,
  },
  'report-dialog': {
    who: 'alice',
    path: (id) => `/chat/${id('jonas')}`,
    act: async (page) => {
      await click('menu')(page);
      await click('menu-report')(page);
    },
    shows: `dialog[open] ${byId('report-messages')}`,
  },
  pictures: { who: 'alice', path: (id) => `/chat/${id('noa')}`, shows: byId('picture') },
  'picture-look': {
    who: 'alice',
    path: (id) => `/chat/${id('noa')}`,
    act: (page) => choosePicture(page, byId('attach-file'), { width: 900, height: 600 }),
    shows: byId('looked-at'),
  },
  'picture-view': {
    who: 'alice',
    path: (id) => `/chat/${id('noa')}`,
    act: click('picture'),
    shows: '[data-testid="whole-picture"][data-whole]',
  },
  'long-words': { who: 'alice', path: (id) => `/chat/${id(WIDE)}`, shows: byId('message-3') },
  'empty-chat': { who: 'alice', path: (id) => `/chat/${id('priya')}`, shows: byId('beginning') },
  'blocked-chat': { who: 'alice', path: (id) => `/chat/${id('blocked')}`, shows: byId('composer-blocked') },
  'message-requests': { who: 'alice', path: '/requests', shows: '[data-testid^="conversation-"]' },
  'message-request': { who: 'alice', path: (id) => `/chat/${id('stranger')}`, shows: byId('request-bar') },
  'no-message-requests': { who: 'newcomer', path: '/requests', shows: byId('no-requests') },
  people: { who: 'alice', path: '/people', shows: '[data-testid^="person-"]' },
  requests: {
    who: 'alice',
    path: '/people?show=requests',
    shows: '[data-testid^="accept-"]',
  },
  'no-match': {
    who: 'alice',
    path: '/people',
    act: (page) => fill(page, byId('people-search'), 'no one of this name'),
    shows: `${byId('people-found')}:not(:empty)`,
  },
  person: { who: 'alice', path: (id) => `/people/${id('jonas')}`, shows: byId('friend-remove') },
  'wide-name': { who: 'alice', path: (id) => `/people/${id(WIDE)}`, shows: byId('friend-accept') },
  'block-dialog': {
    who: 'alice',
    path: (id) => `/people/${id('aisha')}`,
    act: click('block'),
    shows: 'dialog[open]',
  },
  settings: { who: 'alice', path: '/settings', shows: byId('settings-profile') },
  'profile-form': {
    who: 'alice',
    path: '/settings/profile',
    act: async (page) => {
      await page.waitForSelector('[name="avatar"]');
      await fill(page, '[name="avatar"]', 'not a link');
      await click('save-profile')(page);
    },
    shows: '[name="avatar"][aria-invalid="true"]',
    // Else the browser asks before it leaves the page.
    leave: click('undo-profile'),
  },
  'crop-picture': {
    who: 'alice',
    path: '/settings/profile',
    act: (page) => choosePicture(page, byId('picture-file'), { width: 600, height: 400 }),
    shows: byId('crop-save'),
  },
  notifications: { who: 'alice', path: '/settings/notifications', shows: '[data-testid^="device-"]' },
  'quiet-hours': {
    who: 'alice',
    path: '/settings/notifications',
    act: async (page) => void (await page.locator(`${byId('quiet-weekly')} input[value="own"]`).click()),
    shows: byId('quiet-window-1'),
  },
  'push-log': { who: 'alice', path: '/settings/log', shows: '[data-testid^="log-"]' },
  security: { who: 'alice', path: '/settings/security', shows: byId('end-others') },
  'recovery-code': { who: 'newcomer', path: '/settings/security', shows: byId('code-says') },
  'recovery-form': {
    who: 'alice',
    path: '/settings/security',
    act: click('change-email'),
    shows: byId('send-code'),
  },
  'password-dialog': {
    who: 'alice',
    path: '/settings/security',
    act: async (page) => {
      await click('change-email')(page);
      await fill(page, '[name="email"]', 'alice@example.org');
      await click('send-code')(page);
    },
    shows: byId('password-go'),
  },
  'delete-account': {
    who: 'alice',
    path: '/settings/security',
    act: async (page) => {
      await click('delete-account')(page);
      await fill(page, '[name="name"]', 'not hers');
      await click('delete-go')(page);
    },
    shows: 'dialog [aria-invalid="true"]',
  },
  privacy: { who: 'alice', path: '/settings/privacy', shows: byId('privacy-listed') },
  'account-log': { who: 'alice', path: '/settings/account-log', shows: '[data-testid^="act-"]' },
  'blocked-people': { who: 'alice', path: '/settings/blocked', shows: '[data-testid^="unblock-"]' },
  'not-found': { who: 'alice', path: '/no/such/place', shows: '[data-pane="page"] h2' },
  shortcuts: {
    who: 'alice',
    path: '/people',
    act: async (page) => {
      await page.waitForSelector('[data-testid^="person-"]');
      await page.keyboard.press('?');
    },
    shows: 'dialog[open]',
  },
  offline: {
    who: 'alice',
    path: (id) => `/chat/${id('sam')}`,
    act: async (page, browser) => {
      await page.waitForSelector(byId('message-1'));
      await page.waitForSelector(byId('conversations'));
      await setOffline(browser, page, true);
    },
    shows: byId('connection-banner'),
    leave: (page, browser) => setOffline(browser, page, false),
  },
};

/** Opens the views in a browser, one after the other. */
export interface Viewer {
  open(name: string): Promise<Page>;
  /** To be called before the next one is opened. */
  leave(name: string): Promise<void>;
  /** From the next view on. */
  speak(language: 'en' | 'zh'): Promise<void>;
}

/** Tells the story, and opens the pages of those who see the views. */
export async function startViews(scope: Scope, browser: RunningBrowser): Promise<Viewer> {
  const { site, people, db } = await startHardStory(scope);
  const visitor = await arrive(scope, browser, site, 'visitor');
  await visitor.page.goto(`${site.url}/sign-in`);
  const newcomer = await arrive(scope, browser, site, 'newcomer');
  await newcomer.signUp();
  await db.run`
    insert into email_codes (user_id, address, language, requested_at, expires_at)
    values (${newcomer.id}, 'newcomer@example.org', 'en', ${Date.now()}, ${Date.now() + CODE_MS})`;
  const { token } = await site.join(LEAVER);
  await site.post('/api/account/delete', {}, token);
  const alice = await arrive(scope, browser, site, 'alice');
  await alice.signIn();
  // Long ago, so that a change of the address asks for the password.
  await db.run`update sessions set confirmed_at = 0 where user_id = ${alice.id}`;
  await alice.page.evaluate((key) => localStorage.setItem(key, String(Date.now())), INVITATION_KEY);
  const pages: Record<View['who'], Person> = { visitor, newcomer, alice };
  visitor.faults.expect(/^40[03] POST \/api\/(?:login|password-link|sessions\/end-by-link)$/);
  alice.faults.expect(/^403 POST \/api\/account\/email$/);
  alice.faults.expect(/^404 GET \/no\/such\/place$/);
  alice.faults.expectOutage();
  alice.faults.expect(/^failed: .*(?:ERR_INTERNET_DISCONNECTED|NS_ERROR_OFFLINE)/);
  const viewOf = (name: string): View => {
    const view = VIEWS[name];
    if (!view) throw new Error(`there is no view ${name}: ${Object.keys(VIEWS).join(', ')}`);
    return view;
  };
  return {
    async open(name) {
      const { who, path, act, shows } = viewOf(name);
      const { page } = pages[who];
      // In Firefox only the front window gets focus events.
      await page.bringToFront();
      await page.goto(
        site.url + (typeof path === 'string' ? path : path((username) => idOf(people, username))),
      );
      await act?.(page, browser);
      await page.waitForSelector(shows);
      // A dialog fades in: at first it is transparent, so that nothing in it counts as drawn.
      await comeToRest(page);
      return page;
    },
    async leave(name) {
      const { who, leave } = viewOf(name);
      await leave?.(pages[who].page, browser);
    },
    async speak(language) {
      for (const { page } of Object.values(pages))
        await page.evaluate((value) => localStorage.setItem('doorman.language', value), language);
    },
  };
}
