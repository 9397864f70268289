import { readToPage, type ToWorker } from '../worker/messages.ts';
import { watchForUpdates } from './worker-updates.ts';

interface WorkerListeners {
  /** A new version of the page is ready; `accept` reloads the page with it. A later call replaces an earlier one. */
  onUpdate(accept: () => void): void;
  /** A notification was clicked: show this route. */
  onOpen(path: string): void;
  /** The browser replaced this device's push subscription; the worker has registered the new one, unless that failed. */
  onPushChanged(): void;
}

/**
 * Registers the service worker; to be called once, after the first rendering. Without a worker, as in private windows of
 * some browsers, the page lacks notifications and cannot start without a network.
 */
export async function registerWorker({ onUpdate, onOpen, onPushChanged }: WorkerListeners): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const { serviceWorker } = navigator;
  serviceWorker.addEventListener('message', ({ data, ports }) => {
    const message = readToPage(data);
    if (message?.doorman === 'push-changed') onPushChanged();
    if (message?.doorman !== 'open') return;
    onOpen(message.path);
    ports[0]?.postMessage('shown');
  });
  const watch = watchForUpdates(serviceWorker, onUpdate);
  try {
    const registration = await serviceWorker.register('/sw.js', { updateViaCache: 'none' });
    watch(registration);
    // A page that was loading while its worker was activated is not among those that it claimed.
    if (!serviceWorker.controller) registration.active?.postMessage({ doorman: 'claim' } satisfies ToWorker);
  } catch (error) {
    console.warn('No service worker:', error);
  }
}
