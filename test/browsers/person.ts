import type { BrowserContext, Page } from 'puppeteer-core';
import { chatPath } from '../../web/src/paths.ts';
import { askToSignOut, confirm, fill } from './controls.ts';
import type { Scope } from './endings.ts';
import { type PageFaults, watchFaults } from './page-faults.ts';
import { openContext, openWindow, type RunningBrowser } from './running-browser.ts';
import type { Account, Site } from './site.ts';
import { waitFor } from './waiting.ts';

/** A message as the open chat shows it. */
export interface ShownMessage {
  body: string;
  isOwn: boolean;
  /** Of an own message: `waiting`, `sending`, `refused`, `stored`, `received` or `read`. */
  state: string | undefined;
}

/** A conversation as the list shows it. */
export interface ShownConversation {
  preview: string;
  unread: number;
}

/** A user with a name, whether they have a page or only an account. */
type Somebody = Pick<Account, 'id' | 'username'>;

/**
 * A user of the page. They use only what can be seen and touched, and wait until the page has
 * answered. Others are named by their objects, so tests need no ids.
 */
export class Person {
  readonly username: string;
  readonly password: string;
  readonly site: Site;
  readonly context: BrowserContext;
  page: Page;
  faults: PageFaults;
  readonly #scope: Scope;
  #id: string | undefined;

  constructor(scope: Scope, username: string, place: Place) {
    this.username = username;
    this.password = `password-of-${username}`;
    this.#scope = scope;
    this.site = place.site;
    this.context = place.context;
    this.page = place.page;
    this.faults = place.faults;
  }

  get id(): string {
    if (this.#id === undefined) throw new Error(`${this.username} is not signed up yet`);
    return this.#id;
  }

  async signUp(): Promise<void> {
    await this.page.goto(`${this.site.url}/sign-up`);
    await this.#enter('/api/register');
  }

  async signIn(): Promise<void> {
    await this.page.goto(`${this.site.url}/sign-in`);
    await this.#enter('/api/login');
  }

  async #enter(path: string): Promise<void> {
    await this.fill('[name="username"]', this.username);
    await this.fill('[name="password"]', this.password);
    const [answer] = await Promise.all([
      this.page.waitForResponse((response) => response.url() === this.site.url + path),
      this.page.keyboard.press('Enter'),
    ]);
    this.#id = (await answer.json()).data.id;
    // Leaving while files load aborts them, which React reports as a fault.
    const isThere = 'body:not(:has([data-testid="waiting"])) [data-testid="own-profile"]';
    await this.#explain('be in', this.page.waitForSelector(isThere));
  }

  async signOut(): Promise<void> {
    await askToSignOut(this.page);
    await this.confirm();
    await this.page.waitForSelector('[name="username"]');
  }

  /** Closes the page; the browser goes on, as it does on a phone in a pocket. */
  async closePage(): Promise<void> {
    await this.page.close();
  }

  /** Replaces the page by another one of the same browser. */
  async openPage(path = '/'): Promise<void> {
    this.page = await openWindow(this.context);
    this.faults = await watchFaults(this.#scope, this.page, this.site.url);
    await this.page.goto(this.site.url + path);
  }

  /** Searches a user in the directory until they are found. */
  async search(other: Somebody): Promise<void> {
    await this.click('nav-people');
    await this.find('people-search');
    // New friend requests are shown first.
    if (!(await this.page.$('[data-testid="people-filter-all"] :checked')))
      await this.click('people-filter-all');
    await this.fill('[data-testid="people-search"]', other.username);
    // The number of results is shown; until then the row may be of the previous list, and move from under the pointer.
    await this.page.waitForSelector('[data-testid="people-found"]:not(:empty)');
    await this.find(`person-${other.id}`);
  }

  /** Searches a user and opens their profile. */
  async openProfile(other: Somebody): Promise<void> {
    await this.search(other);
    await this.click(`picture-${other.id}`);
    await this.find('profile');
  }

  /** Opens the chat from the list of conversations, or from the list of people if it has none. */
  async openChat(other: Somebody): Promise<void> {
    await this.click('nav-chats');
    await this.find('conversations', 'find-people');
    const conversation = await this.page.$(`[data-testid="conversation-${other.id}"]`);
    if (conversation) await this.click(`conversation-${other.id}`);
    else {
      await this.search(other);
      await this.click(`message-${other.id}`);
    }
    await this.find('chat-name');
    await waitFor('the chat', () => this.page.url().endsWith(chatPath(other.id)));
  }

  /** Writes a message into the open chat, and sends it with the Enter key. */
  async write(body: string): Promise<void> {
    await this.fill('[data-testid="composer"]', body);
    await this.page.keyboard.press('Enter');
    await this.waitForMessage(body);
  }

  /** The messages in the open chat that are on the screen or near it, the oldest first. */
  messages(): Promise<ShownMessage[]> {
    return this.page.$$eval('[data-message]', (messages) => {
      return messages.map((message) => ({
        body: message.querySelector<HTMLElement>('[dir="auto"]')?.innerText ?? '',
        isOwn: message.hasAttribute('data-own'),
        state: message.querySelector<HTMLElement>('[data-state]')?.dataset.state,
      }));
    });
  }

  /** @param state the status of an own message to wait for */
  waitForMessage(body: string, state?: string): Promise<ShownMessage> {
    return this.#wait(`the message "${body.slice(0, 50)}" ${state ?? ''}`, async () =>
      (await this.messages()).find((shown) => shown.body === body && (!state || shown.state === state)),
    );
  }

  /** The row of the conversation with `other` in the list; `undefined` without one. */
  conversation(other: Somebody): Promise<ShownConversation | undefined> {
    return this.page.evaluate((id) => {
      const row = document.querySelector<HTMLElement>(`[data-testid="conversation-${id}"]`);
      if (!row) return undefined;
      const count = row.querySelector('[data-testid="count"] [aria-hidden]')?.textContent;
      return { preview: row.innerText, unread: Number.parseInt(count ?? '0', 10) };
    }, other.id);
  }

  async waitForUnread(other: Somebody, unread: number): Promise<void> {
    await this.#wait(
      `${unread} unread of ${other.username}`,
      async () => (await this.conversation(other))?.unread === unread,
    );
  }

  /** The presence text of the open chat: `online`, `away`, `typing…`, `offline`, `last seen ..`. */
  presence(): Promise<string> {
    return this.page.$eval('[data-testid="presence"]', (element) => element.textContent?.trim() ?? '');
  }

  async waitForPresence(says: RegExp): Promise<void> {
    await this.#wait(`${says}`, async () => says.test(await this.presence()));
  }

  /** Picks from the menu of the open chat: `befriend`, `withdraw`, `accept`, `decline`, `block`, `unblock`, `unfriend`. */
  async choose(item: string): Promise<void> {
    await this.click('menu');
    await this.click(`menu-${item}`);
    if (!/^(?:un)?(?:block|friend)$/.test(item)) return;
    await this.confirm();
  }

  /** Confirms the open dialog, and waits until it is closed. */
  async confirm(): Promise<void> {
    await this.#explain('confirm', confirm(this.page));
  }

  async click(testId: string): Promise<void> {
    const selector = `[data-testid="${testId}"]`;
    // A row that still moves may lie over the one that is meant.
    const isStill = () =>
      !document
        .getAnimations()
        .some(
          ({ playState, effect }) => playState === 'running' && effect?.getComputedTiming().iterations === 1,
        );
    const locator = this.page.locator(selector).filter(isStill);
    await this.#explain(`click ${testId}`, locator.click());
  }

  /** Waits for the first of these elements. */
  async find(...testIds: string[]): Promise<void> {
    const selector = testIds.map((testId) => `[data-testid="${testId}"]`).join();
    await this.#explain(`find ${testIds.join(' or ')}`, this.page.waitForSelector(selector));
  }

  async fill(selector: string, text: string): Promise<void> {
    await this.#explain(`fill ${selector}`, fill(this.page, selector, text));
  }

  #wait<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
    return this.#explain(`see ${what}`, waitFor(what, look));
  }

  /** @throws an error with the text of the page and its faults */
  async #explain<T>(what: string, act: Promise<T>): Promise<T> {
    try {
      return await act;
    } catch (cause) {
      const shown = await this.page.evaluate(
        () => `${location.pathname} (${document.visibilityState}): ${document.body.innerText}`,
      );
      const seen = shown.replace(/\s+/g, ' ').slice(0, 500);
      const faults = this.faults.lines.join('; ') || 'none';
      const warnings = this.faults.warnings.join('; ') || 'none';
      throw new Error(
        `${this.username} could not ${what}: ${cause}; sees ${seen}; faults: ${faults}; warnings: ${warnings}`,
        { cause },
      );
    }
  }
}

interface Place {
  site: Site;
  context: BrowserContext;
  page: Page;
  faults: PageFaults;
}

/**
 * A browser with the page, in which no one is signed in yet. The page must be without faults when `scope` ends,
 * unless they are expected.
 */
export async function arrive(
  scope: Scope,
  browser: RunningBrowser,
  site: Site,
  username: string,
): Promise<Person> {
  const context = await openContext(scope, browser);
  const page = await openWindow(context);
  const faults = await watchFaults(scope, page, site.url);
  return new Person(scope, username, { site, context, page, faults });
}
