import '../ui/page/theme.css';
import './mantine.css';
import './app.css';
import { createDoorman, openStorage } from 'doorman-client';
import { createRoot } from 'react-dom/client';
import { navigate } from 'wouter/use-browser-location';
import { TEXTS } from '../i18n/languages.ts';
import { pageLanguage } from '../i18n/texts.tsx';
import { deviceName } from '../ui/person/device-name.ts';
import { retryPicturesOnReturn } from '../ui/person/failed-pictures.ts';
import { App } from './app.tsx';
import { waitingUpdate } from './app-update.ts';
import { createStores } from './create-stores.ts';
import { onStorageFailure, waitForStorage } from './storage.ts';
import { registerWorker } from './worker-registration.ts';

const device = deviceName(navigator.userAgent, TEXTS.en.shell.device).slice(0, 64);
const storage = openStorage();
const doorman = createDoorman({ baseUrl: location.origin, device, storage });
doorman.on('storage', ({ error }) => onStorageFailure(error));
const stores = createStores(doorman);
retryPicturesOnReturn(stores.connection);

const root = document.getElementById('root');
if (root) createRoot(root).render(<App stores={stores} />);

void begin();

async function begin(): Promise<void> {
  await waitForStorage(storage);
  await stores.start();
  await registerWorker({
    onUpdate: (accept) => waitingUpdate.set(accept),
    onOpen: (path) => navigate(path),
    onPushChanged: checkPush,
  });
  stores.session.subscribe(checkPush);
  // The user changes the language here or in another tab; the notifications follow.
  new MutationObserver(checkPush).observe(document.documentElement, { attributeFilter: ['lang'] });
  checkPush();
}

/** Renews the push subscription of this device if the browser has dropped it, or the page's language has changed. */
function checkPush(): void {
  if (stores.session.getSnapshot().state !== 'signed_in') return;
  doorman.push
    .check({ lang: pageLanguage() })
    .catch((error: unknown) => console.warn('The push subscription could not be checked:', error));
}
