import type { CDPSession, Page } from 'puppeteer-core';
import { waitFor } from './waiting.ts';

/**
 * Waits until the workers in the context of the page have handled a push, including its notification. Needed before a page
 * reads the shown notifications: a read while Chromium shows a notification makes it lose that one.
 *
 * @returns a function to await once per push
 */
export async function watchPushes(session: CDPSession): Promise<() => Promise<void>> {
  let [completed, awaited] = [0, 0];
  session.on('BackgroundService.backgroundServiceEventReceived', ({ backgroundServiceEvent }) => {
    if (backgroundServiceEvent.eventName === 'Push event completed') completed += 1;
  });
  const service = 'pushMessaging';
  await session.send('BackgroundService.startObserving', { service });
  await session.send('BackgroundService.setRecording', { service, shouldRecord: true });
  return async () => {
    awaited += 1;
    await waitFor('the worker to have done with a push', () => completed >= awaited);
  };
}

/** @returns a function that delivers a decrypted push to the worker of the page, and waits until it is handled */
export async function openDelivery(page: Page): Promise<(payload: object | string) => Promise<void>> {
  const { origin } = new URL(page.url());
  const session = await page.createCDPSession();
  const found = Promise.withResolvers<string>();
  session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    const own = registrations.find(({ scopeURL }) => scopeURL === `${origin}/`);
    if (own) found.resolve(own.registrationId);
  });
  await session.send('ServiceWorker.enable');
  const isDone = await watchPushes(session);
  return async (payload) => {
    const data = typeof payload === 'string' ? payload : JSON.stringify(payload);
    const registrationId = await found.promise;
    await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
    await isDone();
  };
}
