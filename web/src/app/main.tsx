import { createDoorman, openStorage } from 'doorman-client';
import { chosenLanguage, LOCALES, loadTexts, pageLanguage } from '../i18n/languages.ts';
import { canonicalPath, peerOfChat } from '../paths.ts';
import { deviceName } from '../ui/person/device-name.ts';
import { waitingUpdate } from './app-update.ts';
import { onStorageFailure, waitForStorage } from './storage.ts';
import { Stores } from './stores.ts';

// In English whatever the page speaks, as the name is stored with the session.
const device = deviceName(navigator.userAgent, (browser, system) => `${browser} on ${system}`).slice(0, 64);
const storage = openStorage();
const doorman = createDoorman({ baseUrl: location.origin, device, storage });
doorman.on('storage', ({ error }) => onStorageFailure(error));
const stores = new Stores(doorman);

const { pathname, search, hash } = location;
if (pathname !== canonicalPath(pathname))
  history.replaceState(history.state, '', canonicalPath(pathname) + search + hash);

const root = document.getElementById('root');
if (root) begin(root).catch(onFailedStart);

/** On a slow line the page's files take seconds: meanwhile the page connects, and loads the messages of the open chat. */
async function begin(root: HTMLElement): Promise<void> {
  const language = chosenLanguage();
  document.documentElement.lang = LOCALES[language];
  const files = Promise.all([import('./render.tsx'), loadTexts(language)]);
  files.catch(() => {}); // reported where they are awaited
  await waitForStorage(storage);
  await stores.start();
  if (stores.session.getSnapshot().state === 'signed_out') void stores.registration.ask();
  const close = openChat();
  const [{ render, navigate }] = await files;
  const { all } = await render(root, stores, language);
  close?.();
  // The worker loads all files of the page.
  await all;
  const worker = await import('./worker-registration.ts').catch(() => undefined); // without it there is no worker
  await worker?.registerWorker({
    onUpdate: (accept) => waitingUpdate.set(accept),
    onOpen: (path) => navigate(path),
    onPushChanged: checkPush,
  });
  stores.session.subscribe(checkPush);
  // The user changes the language here or in another tab; the notifications follow.
  new MutationObserver(checkPush).observe(document.documentElement, { attributeFilter: ['lang'] });
  checkPush();
}

/** A file of the page has not come, as when the network is lost, or the user goes elsewhere, while it is loaded. */
function onFailedStart(error: unknown): void {
  console.warn('The page cannot start:', error);
  addEventListener('online', () => location.reload(), { once: true });
}

/** Opens the conversation that the path names. @returns closes it */
function openChat(): (() => void) | undefined {
  const session = stores.session.getSnapshot();
  const peer = peerOfChat(location.pathname);
  if (session.state !== 'signed_in' || peer === undefined || peer === session.session.userId)
    return undefined;
  return stores.chats.thread(peer).open();
}

/** Renews the push subscription of this device if the browser has dropped it, or the page's language has changed. */
function checkPush(): void {
  if (stores.session.getSnapshot().state !== 'signed_in') return;
  doorman.push
    .check({ lang: pageLanguage() })
    .catch((error: unknown) => console.warn('The push subscription could not be checked:', error));
}
