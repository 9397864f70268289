import { createContext, Suspense, use } from 'react';
import { lazyView } from '../../../ui/page/lazy-view.tsx';
import type { LinkedTextProps } from './linked-text.tsx';

/** Around the messages of a stranger, in which nothing is a link. */
export const PlainTextContext = createContext(false);

/** Not needed before the messages are on the screen: their texts become links without moving. */
const LinkedText = lazyView(
  () => import('./linked-text.tsx').catch(() => ({ LinkedText: ({ body }: LinkedTextProps) => body })),
  'LinkedText',
);

/** Each link has one of these. */
const SIGN_OF_LINK = /:\/\/|www\.|@|\d/i;

/** The text of a message; addresses of the web, mail addresses and phone numbers in it are links, once their code is loaded. */
export function MessageText(props: LinkedTextProps) {
  const { body } = props;
  if (use(PlainTextContext) || !SIGN_OF_LINK.test(body)) return body;
  return (
    <Suspense fallback={body}>
      <LinkedText {...props} />
    </Suspense>
  );
}
