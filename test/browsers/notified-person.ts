import assert from 'node:assert/strict';
import type { PushDevice, PushLogEntry } from 'doorman-client';
import { endingsOf, type Scope } from './endings.ts';
import { setNotificationPermission } from './notifications.ts';
import { watchFaults } from './page-faults.ts';
import { Person } from './person.ts';
import { openWindow, type RunningBrowser } from './running-browser.ts';
import type { Site } from './site.ts';
import { waitFor } from './waiting.ts';

// What users do about notifications in the page, in addition to what a `Person` does.

/** A line of the page's push log, as the page shows it. */
export interface LogLine {
  who: string;
  what: string;
}

/**
 * As `arrive`, but in the browser's own profile: Chromium takes every other context for a private window, where nothing
 * subscribes and nothing is installed. Only one person at a time is at home.
 */
export async function arriveAtHome(
  scope: Scope,
  { driver }: RunningBrowser,
  site: Site,
  username: string,
): Promise<Person> {
  const context = driver.defaultBrowserContext();
  endingsOf(scope).defer(async () => {
    if (!driver.connected) return;
    for (const page of await context.pages()) if (page.url().startsWith(site.url)) await page.close();
  });
  const page = await openWindow(context);
  const faults = await watchFaults(scope, page, site.url);
  return new Person(scope, username, { site, context, page, faults });
}

export async function openSettings(
  person: Person,
  name: 'notifications' | 'log' | 'security' | 'account-log',
): Promise<void> {
  await person.click('nav-settings');
  await person.click(`settings-${name}`);
}

/** Turns notifications on by the page's own button, in a browser that allows them. */
export async function turnOn(person: Person): Promise<void> {
  await setNotificationPermission(person.context, person.site.url, 'granted');
  await openSettings(person, 'notifications');
  await person.click('push-on');
  await waitForPush(person, 'on');
}

/** Waits until the page says so of notifications in this browser. @returns all that it says of it */
export async function waitForPush(person: Person, state: 'on' | 'off' | 'denied'): Promise<string> {
  const card = await person.page.waitForSelector(`[data-testid="push-here"][data-state="${state}"]`);
  return (await card?.evaluate((element) => (element as HTMLElement).innerText)) ?? '';
}

/** The endpoint of this browser; empty without a subscription. */
export function endpointOf({ page }: Person): Promise<string> {
  return page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    return (await registration.pushManager.getSubscription())?.endpoint ?? '';
  });
}

/** Turns a switch of the settings, which are open. */
export async function turnSwitch(person: Person, name: 'dnd' | 'push-enabled', to: boolean): Promise<void> {
  await person.page.waitForSelector(`[data-testid="${name}"]${to ? ':not(:checked)' : ':checked'}`);
  await saving(person, () => person.click(name));
}

export async function choosePreview(person: Person, preview: 'full' | 'sender' | 'none'): Promise<void> {
  await saving(person, () =>
    person.page.locator(`[data-testid="preview"] input[value="${preview}"]`).click(),
  );
}

async function saving(person: Person, act: () => Promise<void>): Promise<void> {
  const url = `${person.site.url}/api/user/settings`;
  const [answer] = await Promise.all([
    person.page.waitForResponse(
      (response) => response.url() === url && response.request().method() === 'POST',
    ),
    act(),
  ]);
  assert.equal(answer.status(), 200);
}

/** The lines of the push log as the page shows them, the newest first, once one of them says `what` of `who`. */
export async function readLog(person: Person, who: string, what: string): Promise<LogLine[]> {
  await openSettings(person, 'log');
  let lines: LogLine[] = [];
  const isThere = async () => {
    lines = await logLines(person);
    if (lines.some((line) => line.who === who && line.what === what)) return true;
    await person.click('refresh');
    return false;
  };
  await waitFor(`"${who}: ${what}"`, isThere).catch((cause) => {
    throw new Error(`${cause}, but the log says ${JSON.stringify(lines)}`, { cause });
  });
  return lines;
}

function logLines({ page }: Person): Promise<LogLine[]> {
  return page.$$eval('[data-testid^="log-"]', (entries) =>
    entries.map((entry) => ({
      who: entry.firstElementChild?.firstElementChild?.textContent ?? '',
      what: entry.querySelector('p')?.textContent ?? '',
    })),
  );
}

/** Continues with the page that a notification opened for a user without an open page. */
export async function takeUp(scope: Scope, person: Person, path: string): Promise<void> {
  person.page = await waitFor(`a page at ${path}`, async () =>
    (await person.context.pages()).find((page) => page.url() === person.site.url + path),
  );
  person.faults = await watchFaults(scope, person.page, person.site.url);
}

/** Reads the state of a user from the service, without a page of theirs. */
export class Records {
  readonly token: string;
  readonly #person: Person;

  constructor(person: Person, token: string) {
    this.#person = person;
    this.token = token;
  }

  devices(): Promise<PushDevice[]> {
    return this.#get('/api/push/devices');
  }

  /** The newest first. */
  log(): Promise<PushLogEntry[]> {
    return this.#get('/api/push/log');
  }

  /** Waits until the push log has this outcome for messages of `peer`. */
  async waitFor(peer: { id: string }, outcome: PushLogEntry['outcome']): Promise<void> {
    let entries: PushLogEntry[] = [];
    const isThere = async () => {
      entries = await this.log();
      return entries.some((entry) => entry.peer === peer.id && entry.outcome === outcome);
    };
    await waitFor(`"${outcome}" in the log of ${this.#person.username}`, isThere).catch((cause) => {
      throw new Error(`${cause}, which says ${JSON.stringify(entries)}`, { cause });
    });
  }

  async isOnline(): Promise<boolean> {
    const path = `/api/user/profile/${this.#person.id}`;
    return (await this.#get<{ isOnline: number }>(path)).isOnline === 1;
  }

  async #get<T>(path: string): Promise<T> {
    return (await this.#person.site.get(path, this.token)).body.data;
  }
}

/** Signs in without a page. */
export async function openRecords(person: Person, password = person.password): Promise<Records> {
  const { username, site } = person;
  const { body } = await site.post('/api/login', { username, password });
  return new Records(person, body.data.token);
}

/** Closes the last page of a user, and waits until the service knows: from then on pushes are sent at once, not after 5 s. */
export async function leave(person: Person, records: Records): Promise<void> {
  await person.closePage();
  await waitFor(`${person.username} to be away`, async () => !(await records.isOnline()));
}
