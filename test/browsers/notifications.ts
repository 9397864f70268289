import type { BrowserContext, Page } from 'puppeteer-core';
import type { Firefox } from './firefox.ts';
import { waitFor } from './waiting.ts';

/** A notification as pages of its origin can read it. */
export interface ShownNotification {
  title: string;
  body: string;
  tag: string;
  lang: string;
  icon: string;
  data: unknown;
}

/** A notification window of Firefox: what a user sees, whichever pages are open. */
export interface Alert {
  title: string;
  /** Cut after 200 characters. */
  body: string;
  /** Host and port of the page that shows it. */
  from: string;
}

/**
 * The shown notifications of the page's worker in its context, the oldest first. Firefox removes each after 20 s.
 */
export async function shownNotifications(page: Page): Promise<ShownNotification[]> {
  const shown = await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    const notifications = (await registration?.getNotifications()) ?? [];
    return notifications.map(
      ({ title, body, tag, lang, icon, data, timestamp }: Notification & { timestamp?: number }) => ({
        title,
        body,
        tag,
        lang,
        icon,
        data,
        timestamp: timestamp ?? 0,
      }),
    );
  });
  return shown
    .sort((a, b) => a.timestamp - b.timestamp)
    .map(({ timestamp, ...notification }) => notification);
}

/** Waits for the first notification that matches. */
export function waitForNotification(
  page: Page,
  matches: Partial<ShownNotification> = {},
): Promise<ShownNotification> {
  return waitFor(`a notification ${JSON.stringify(matches)}`, async () =>
    (await shownNotifications(page)).find((shown) => fits(shown, matches)),
  );
}

/** All notifications on Firefox's screen, of all contexts, the oldest first. */
export async function alerts(firefox: Firefox): Promise<Alert[]> {
  const found = await firefox.inside(`[...Services.wm.getEnumerator('alert:alert')]
    .filter((window) => window.gIsActive && !window.gIsReplaced)
    .map(({ arguments: [, title, body], document }) => ({
      title,
      body: document.getElementById('alertTextLabel').textContent,
      from: document.getElementById('alertSourceLabel').value.replace(/^via /, ''),
    }))`);
  // Made three lines above.
  return found as Alert[];
}

/** The same for what a person sees, also when no page is open that could be asked. */
export async function waitForAlert(firefox: Firefox, matches: Partial<Alert> = {}): Promise<Alert> {
  const others = new Set<string>();
  const find = async () => {
    const shown = await alerts(firefox);
    for (const alert of shown) others.add(JSON.stringify(alert));
    return shown.find((alert) => fits(alert, matches));
  };
  return waitFor(`an alert ${JSON.stringify(matches)}`, find).catch((cause) => {
    throw new Error(`${cause.message}; shown meanwhile: ${[...others]}`, { cause });
  });
}

/** Keeps the notifications on Firefox's screen until they are removed. */
export async function holdAlerts(firefox: Firefox): Promise<void> {
  await firefox.inside(`[...Services.wm.getEnumerator('alert:alert')].forEach(({ document }) => {
    document.getElementById('alertBox').style.animationPlayState = 'paused';
  })`);
}

/** Clicks a notification on Firefox's screen, as soon as it is there, with all that a real click allows its worker. */
export async function clickNotification(firefox: Firefox, matches: Partial<Alert> = {}): Promise<void> {
  await waitForAlert(firefox, matches);
  const index = (await alerts(firefox)).findIndex((alert) => fits(alert, matches));
  await firefox.inside(`[...Services.wm.getEnumerator('alert:alert')]
    .filter((window) => window.gIsActive && !window.gIsReplaced)[${index}].document.getElementById('alertBox').click()`);
}

function fits<T extends object>(shown: T, matches: Partial<T>): boolean {
  return Object.entries(matches).every(([key, value]) => shown[key as keyof T] === value);
}

/** What a person answers when the page asks whether it may notify; `prompt`: nothing yet. Open pages see it at once. */
export async function setNotificationPermission(
  context: BrowserContext,
  url: string,
  state: 'granted' | 'denied' | 'prompt',
): Promise<void> {
  await context.setPermission(new URL(url).origin, { permission: { name: 'notifications' }, state });
}
