import type { Firefox } from './firefox.ts';
import { waitFor } from './waiting.ts';

/** The windows of Firefox in which it asks whether a page may notify. */
const ASKING = `[...Services.wm.getEnumerator('navigator:browser')]
  .map(({ PopupNotifications: { panel } }) => panel)
  .filter(({ state, firstElementChild }) => state === 'open' && firstElementChild.id === 'web-notifications-notification')`;

/** Whether Firefox asks the user whether a page may notify; it asks only in the front window. */
export async function isAsking(firefox: Firefox): Promise<boolean> {
  return (await firefox.inside(`${ASKING}.length`)) !== 0;
}

/** Answers the browser's question once it is shown. Firefox ignores answers that come too fast. */
export async function answerQuestion(firefox: Firefox, answer: 'allow' | 'block'): Promise<void> {
  await waitFor('the question', () => isAsking(firefox));
  const button = answer === 'allow' ? 'button' : 'secondaryButton';
  await waitFor('the question to go', async () => {
    await firefox.inside(`${ASKING}.forEach(({ firstElementChild }) => firstElementChild.${button}.click())`);
    return !(await isAsking(firefox));
  });
}
