import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'puppeteer-core';
import type { SubscriptionJson } from '../push-service.ts';
import { endingsOf, type Scope } from './endings.ts';

/** Shows what comes, and keeps it as it came, to be read back from the notification. */
const WORKER = `
addEventListener('install', () => skipWaiting());
addEventListener('push', (event) => {
  const { title, body } = event.data.json().notification;
  event.waitUntil(registration.showNotification(title, { body, data: event.data.text() }));
});
addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(registration.showNotification('Subscription lost', { data: event.oldSubscription?.endpoint }));
});
`;

/**
 * A page that is nobody's, with a worker that knows nothing: what is tried with it is the browser, its push service, and
 * what the service sends, and none of our page's own code. It has our page's policy. `/missing` is not there, and `/broken`
 * hangs up.
 *
 * @returns its origin
 */
export async function startProbePage(scope: Scope): Promise<string> {
  const policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; worker-src 'self'";
  const server = createServer(({ url, socket }, response) => {
    if (url === '/broken') return void socket.destroy();
    if (url === '/favicon.ico') return void response.writeHead(204).end();
    if (url === '/missing') return void response.writeHead(404).end();
    if (url === '/sw.js') response.writeHead(200, { 'content-type': 'text/javascript' }).end(WORKER);
    else {
      response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy });
      response.end('<!doctype html><html lang="en"><title>Probe</title><h1>Probe</h1>');
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endingsOf(scope).defer(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  // A TCP server's address is never a pipe's name.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Subscribes a probe page, which may notify. */
export async function subscribe(page: Page, applicationServerKey: string): Promise<SubscriptionJson> {
  const subscription = await page.evaluate(async (key) => {
    await navigator.serviceWorker.register('/sw.js');
    const registration = await navigator.serviceWorker.ready;
    const options = { userVisibleOnly: true, applicationServerKey: key };
    return JSON.stringify(await registration.pushManager.subscribe(options));
  }, applicationServerKey);
  return JSON.parse(subscription);
}
