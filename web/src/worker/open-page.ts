import { choosePage } from './choose-page.ts';
import { ask } from './messages.ts';

/** A browser lets a click open a window for a moment only, Firefox for one second. */
const ANSWER_MS = 500;

/** Brings `path` before the user: in a page that is open already, if any, else in a new one. */
export async function openPage(clients: Clients, path: string): Promise<void> {
  const pages = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  const page = choosePage(pages, path);
  if (page && (await bringForward(page, path))) return;
  await clients.openWindow(path);
}

/** A page that does not answer is still loading, or broken: it is loaded anew, which only a page of this worker allows. */
async function bringForward(page: WindowClient, path: string): Promise<boolean> {
  try {
    const answered = (await ask(page, { doorman: 'open', path }, ANSWER_MS)) !== undefined;
    const shown = answered ? page : await page.navigate(path);
    await (shown ?? page).focus();
    return true;
  } catch {
    return false;
  }
}
