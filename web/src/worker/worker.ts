// The page's service worker: shows pushes, keeps the shell for the time without a network, and nothing else.
import { openStorage, resubscribe } from 'doorman-client/worker';
import { type Compared, readToWorker, type ToPage } from './messages.ts';
import { openPage } from './open-page.ts';
import { readPushMessage } from './push-message.ts';
import { sendReceipt } from './receipts.ts';
import { answerRequest, dropOldShells, isThisBuild, keepShell } from './shell.ts';

declare const self: ServiceWorkerGlobalScope;

const { origin } = self.location;

/** What a notification keeps for the click on it. */
interface Kept {
  readonly path: string;
  readonly receipt: string | undefined;
}

/** Not in TypeScript's list: Firefox and Safari do not know the first. */
interface NotificationOptionsInFull extends NotificationOptions {
  readonly renotify: boolean;
  readonly timestamp: number;
}

// A new version waits until the user wants it: pages of the old one may still need its files.
self.addEventListener('install', (event) => event.waitUntil(keepShell()));

self.addEventListener('activate', (event) =>
  event.waitUntil(Promise.all([dropOldShells(), self.clients.claim()])),
);

self.addEventListener('message', (event) => {
  const told = readToWorker(event.data);
  if (told?.doorman === 'take-over') event.waitUntil(self.skipWaiting());
  if (told?.doorman === 'compare') event.waitUntil(compare(told.files, event.ports[0]));
});

async function compare(files: string[], port: MessagePort | undefined): Promise<void> {
  const pages = await self.clients.matchAll({ includeUncontrolled: true });
  port?.postMessage({ same: isThisBuild(files), alone: pages.length <= 1 } satisfies Compared);
}

self.addEventListener('fetch', (event) => {
  const answer = answerRequest(event.request, origin);
  if (answer) event.respondWith(answer);
});

// Shown even when a page with the very conversation is before the user: the service sent this because nobody had seen the
// message, and a browser takes the permission away from who is silent too often.
self.addEventListener('push', (event) => event.waitUntil(showPush(event.data)));

async function showPush(data: PushMessageData | null): Promise<void> {
  const { title, body, tag, path, badge, receipt } = readPushMessage(data?.text(), {
    origin,
    language: self.navigator.language,
  });
  const options: NotificationOptionsInFull = {
    body,
    tag,
    renotify: true,
    icon: '/icons/icon-192.png',
    badge: '/icons/badge-96.png',
    timestamp: Date.now(),
    data: { path, receipt } satisfies Kept,
  };
  await self.registration.showNotification(title, options);
  await Promise.all([
    badge !== undefined && showBadge(badge),
    receipt && sendReceipt(origin, receipt, 'shown'),
  ]);
}

async function showBadge(count: number): Promise<void> {
  if (!('setAppBadge' in self.navigator)) return;
  // Refused where the page is not installed.
  await self.navigator.setAppBadge(count).catch(() => undefined);
}

self.addEventListener('notificationclick', (event) => {
  // Of our own making, unless the browser itself has shown something in our name.
  const { path, receipt } = (event.notification.data ?? { path: '/' }) as Kept;
  event.notification.close();
  event.waitUntil(
    Promise.all([openPage(self.clients, path), receipt && sendReceipt(origin, receipt, 'clicked')]),
  );
});

// Browsers differ in what they tell of the lost subscription, some nothing: the new one is what the service must know.
self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(replaceSubscription()));

async function replaceSubscription(): Promise<void> {
  try {
    await resubscribe(self.registration, { baseUrl: origin, storage: openStorage() });
  } finally {
    const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
    for (const page of pages) page.postMessage({ doorman: 'push-changed' } satisfies ToPage);
  }
}
