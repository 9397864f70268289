import '../ui/page/theme.css';
import './app.css';
import { createRoot } from 'react-dom/client';
import type { Language } from '../i18n/languages.ts';
import { isLinkPath } from '../paths.ts';
import { retryPicturesOnReturn } from '../ui/person/failed-pictures.ts';
import { App, AuthPage, LinkPage } from './app.tsx';
import { loadViews } from './routes.tsx';
import type { Stores } from './stores.ts';

export { navigate } from 'wouter/use-browser-location';

/** Longer than a slow line takes. */
const REGISTRATION_MS = 3_000;

/**
 * Replaces the shell in the document by the page, once the files of what the path shows are loaded.
 *
 * @returns when the page is in the document; `all` ends when the list beside it is loaded too
 */
export async function render(
  root: HTMLElement,
  stores: Stores,
  language: Language,
): Promise<{ all: Promise<unknown> }> {
  retryPicturesOnReturn(stores.connection);
  const isIn = stores.session.getSnapshot().state === 'signed_in';
  const { front, all } = loadFiles(stores, location.pathname, isIn);
  // From the worker's cache the files come at once; otherwise the list may follow later.
  const first = navigator.serviceWorker?.controller ? all : front;
  await Promise.allSettled([first]); // what fails to load is tried again, and reported, when it is rendered
  await new Promise<void>((resolve) => {
    createRoot(root).render(<App stores={stores} language={language} onShown={resolve} />);
  });
  return { all: Promise.allSettled([all]) };
}

function loadFiles(
  stores: Stores,
  path: string,
  isIn: boolean,
): { front: Promise<unknown>; all: Promise<unknown> } {
  const isLink = isLinkPath(path);
  if (isIn && !isLink) return loadViews(path);
  const entrance = isLink ? LinkPage.load() : Promise.all([AuthPage.load(), whoMayRegister(stores)]);
  return { front: entrance, all: entrance };
}

/** The first time, the page waits for the answer for a while instead of showing a form that goes away again. */
async function whoMayRegister({ registration }: Stores): Promise<void> {
  const asked = registration.ask();
  if (registration.getSnapshot() !== undefined) return;
  await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, REGISTRATION_MS))]);
}
