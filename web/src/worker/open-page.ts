import { choosePage } from './choose-page.ts';
import { ask } from './messages.ts';

/** A browser lets a click open a window for a short time only, Firefox for one second. */
const ANSWER_MS = 500;

/** Shows `path` in a page that is open already, else in a new window. */
export async function openPage(clients: Clients, path: string): Promise<void> {
  const pages = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  const page = choosePage(pages, path);
  if (page && (await focusPage(page, path))) return;
  await clients.openWindow(path);
}

/** A page that does not answer is loading or broken: it is navigated, which only a page that this worker controls allows. */
async function focusPage(page: WindowClient, path: string): Promise<boolean> {
  try {
    const answered = (await ask(page, { doorman: 'open', path }, ANSWER_MS)) !== undefined;
    const shown = answered ? page : await page.navigate(path);
    await (shown ?? page).focus();
    return true;
  } catch {
    return false;
  }
}
