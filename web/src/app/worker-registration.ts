import { readToPage } from '../worker/messages.ts';
import { watchForUpdates } from './worker-updates.ts';

interface WorkerListeners {
  /** A new version of the page is here; `accept` reloads the page with it. The latest one counts. */
  onUpdate(accept: () => void): void;
  /** A notification was clicked: show this route. */
  onOpen(path: string): void;
  /** The browser took this device's push subscription; if all went well there is another, which the service knows. */
  onPushChanged(): void;
}

/**
 * Registers the service worker; to be called once, when the page has shown itself. Without one, as in private windows of
 * some browsers, the page does all but notifications and starting without a network.
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
    watch(await serviceWorker.register('/sw.js', { updateViaCache: 'none' }));
  } catch (error) {
    console.warn('No service worker:', error);
  }
}
