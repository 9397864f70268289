// The page's service worker: shows pushes, and caches the page's files for times without a network.
import { openStorage, resubscribe } from 'doorman-client/worker';
import { type Compared, readToWorker, type ToPage } from './messages.ts';
import { openPage } from './open-page.ts';
import { readPushMessage } from './push-message.ts';
import { sendReceipt } from './receipts.ts';
import { answerRequest, cacheShell, dropOldShells, isThisBuild } from './shell.ts';

declare const self: ServiceWorkerGlobalScope;

const { origin } = self.location;

/** The data of a notification, for the click on it. */
interface NotificationData {
  readonly path: string;
  readonly receipt: string | undefined;
}

/** Options that TypeScript does not list; Firefox and Safari ignore the first. */
interface AllNotificationOptions extends NotificationOptions {
  readonly renotify: boolean;
  readonly timestamp: number;
}

// A new version waits until the user accepts it: pages of the old one may still need its files.
self.addEventListener('install', (event) => event.waitUntil(cacheShell()));

self.addEventListener('activate', (event) =>
  event.waitUntil(Promise.all([dropOldShells(), self.clients.claim()])),
);

self.addEventListener('message', (event) => {
  const message = readToWorker(event.data);
  if (message?.doorman === 'take-over') event.waitUntil(self.skipWaiting());
  if (message?.doorman === 'claim') event.waitUntil(self.clients.claim());
  if (message?.doorman === 'compare') event.waitUntil(compare(message.files, event.ports[0]));
});

async function compare(files: string[], port: MessagePort | undefined): Promise<void> {
  const pages = await self.clients.matchAll({ includeUncontrolled: true });
  port?.postMessage({ same: isThisBuild(files), alone: pages.length <= 1 } satisfies Compared);
}

self.addEventListener('fetch', (event) => {
  const answer = answerRequest(event.request, origin);
  if (answer) event.respondWith(answer);
});

// Shown even if a page shows the conversation: the service sends a push because the message was not seen, and a browser
// withdraws the permission of a page whose pushes show nothing.
self.addEventListener('push', (event) => event.waitUntil(showPush(event.data)));

async function showPush(data: PushMessageData | null): Promise<void> {
  const { title, body, lang, tag, path, badge, receipt } = readPushMessage(data?.text(), {
    origin,
    language: self.navigator.language,
  });
  const options: AllNotificationOptions = {
    body,
    lang,
    dir: 'auto',
    tag,
    renotify: true,
    icon: '/icons/icon-192.png',
    badge: '/icons/badge-96.png',
    timestamp: Date.now(),
    data: { path, receipt } satisfies NotificationData,
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
  // Set by `showPush`, unless the browser has shown a notification of its own.
  const { path, receipt } = (event.notification.data ?? { path: '/' }) as NotificationData;
  event.notification.close();
  event.waitUntil(
    Promise.all([openPage(self.clients, path), receipt && sendReceipt(origin, receipt, 'clicked')]),
  );
});

// Browsers differ in what this event says of the old subscription, some say nothing: the service needs the new one.
self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(replaceSubscription()));

async function replaceSubscription(): Promise<void> {
  try {
    await resubscribe(self.registration, { baseUrl: origin, storage: openStorage() });
  } finally {
    const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
    for (const page of pages) page.postMessage({ doorman: 'push-changed' } satisfies ToPage);
  }
}
