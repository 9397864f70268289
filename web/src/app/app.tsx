import type { SessionEnd } from 'doorman-client';
import { Suspense, useEffect, useState } from 'react';
import { Redirect, useLocation } from 'wouter';
import { usePathname } from 'wouter/use-browser-location';
import { StoresContext, useRegistration, useSession } from '../data/hooks.ts';
import { recordVisit, wasVisited } from '../data/visited.ts';
import { OwnAccountContext } from '../features/account/model/hooks.ts';
import { ChatsContext } from '../features/chat/model/hooks.ts';
import { ContactsContext } from '../features/contacts/model/hooks.ts';
import { type Language, loadMoreTexts } from '../i18n/languages.ts';
import { LanguageProvider } from '../i18n/texts.tsx';
import { isLinkPath, isPagePath } from '../paths.ts';
import { ToastProvider } from '../ui/controls/toasts.tsx';
import { ColorOfWindow } from '../ui/page/color-scheme.tsx';
import { lazyView } from '../ui/page/lazy-view.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { Layout } from './layout.tsx';
import type { Stores } from './stores.ts';

/** Loaded only for users who are not signed in. */
export const AuthPage = lazyView(
  async () => (await Promise.all([import('../features/auth/auth-page.tsx'), loadMoreTexts('auth')]))[0],
  'AuthPage',
);

/** Loaded only for a forgotten password, and by the links of mails. */
export const LinkPage = lazyView(
  async () =>
    (await Promise.all([import('../features/auth/links/link-page.tsx'), loadMoreTexts('auth', 'links')]))[0],
  'LinkPage',
);

const NotFoundOutside = lazyView(() => import('../ui/page/not-found.tsx'), 'NotFoundOutside');

interface AppProps {
  stores: Stores;
  /** The language at the start; its texts are loaded. */
  language: Language;
  /** Called once, when the page is in the document. */
  onShown: () => void;
}

/** The whole page for one set of `stores`. */
export function App({ stores, language, onShown }: AppProps) {
  useEffect(onShown, [onShown]);
  return (
    <>
      <ColorOfWindow />
      <LanguageProvider start={language}>
        <StoresContext value={stores}>
          <OwnAccountContext value={stores.ownAccount}>
            <ContactsContext value={stores}>
              <ChatsContext value={stores.chats}>
                <ErrorBoundary>
                  <ToastProvider>
                    <SessionGate />
                  </ToastProvider>
                </ErrorBoundary>
              </ChatsContext>
            </ContactsContext>
          </OwnAccountContext>
        </StoresContext>
      </LanguageProvider>
    </>
  );
}

/** Shows the sign-in, the page, or what a link opens; the session is known before the first rendering. */
function SessionGate() {
  const session = useSession();
  const [path] = useLocation();
  const isEntrance = path === '/sign-in' || path === '/sign-up';
  const isKnown = isPagePath(usePathname());
  const isFirst = useIsFirstPath(path);
  const userId = session.state === 'signed_in' ? session.session.userId : undefined;
  useEffect(() => {
    if (userId !== undefined) lastUserId = userId;
    if (session.state !== 'restoring') recordVisit(userId !== undefined);
  }, [userId, session.state]);
  const isIn = userId !== undefined && !isEntrance;
  useEffect(() => {
    if (isIn) wanted = undefined; // opened: Back to the sign-in does not lead to it again
  }, [isIn]);
  // The link may be of another user than the one who is signed in.
  if (isLinkPath(path) && session.state !== 'restoring')
    return (
      <Suspense fallback={null}>
        <LinkPage path={path} />
      </Suspense>
    );
  switch (session.state) {
    case 'restoring':
      return null;
    case 'signed_out':
      if (isKnown && !isEntrance) return <ToEntrance end={session.end} />;
      return (
        <Suspense fallback={null}>{isKnown ? <AuthPage end={session.end} /> : <NotFoundOutside />}</Suspense>
      );
    case 'signed_in':
      // Another tab has signed another user in: the address is the previous user's.
      if (lastUserId !== undefined && lastUserId !== userId && !isEntrance && path !== '/')
        return <Redirect to="/" replace />;
      // The key of the next user resets the state of all components.
      return isEntrance ? (
        <Redirect to={startPathOf(session.session.userId)} replace />
      ) : (
        <Layout key={session.session.userId} isFirst={isFirst} />
      );
  }
}

/** Whether the page was loaded at this path and has not left it since. */
function useIsFirstPath(path: string): boolean {
  const [first, setFirst] = useState<string | null>(path);
  if (first !== null && first !== path) setFirst(null);
  return first === path;
}

/** The user who was signed in last, since the page was loaded. */
let lastUserId: string | undefined;
/** The path to open after the sign-in, with its query, as of a notification or a link, and the user that it belongs to, if known. */
let wanted: { path: string; userId: string | undefined } | undefined;

/** No user is led to a path of another one. */
function startPathOf(userId: string): string {
  return wanted && (wanted.userId ?? userId) === userId ? wanted.path : '/';
}

/**
 * Remembers the current address, unless the user signed out. In a browser that no user has used before, most are new users, where
 * there may be any.
 */
function ToEntrance({ end }: { end: SessionEnd | undefined }) {
  const isClosed = useRegistration() === 'closed';
  const [path] = useState(() => location.pathname + location.search);
  useEffect(() => {
    wanted = end === undefined || end === 'expired' ? { path, userId: lastUserId } : undefined;
  }, [path, end]);
  return <Redirect to={end !== undefined || wasVisited() || isClosed ? '/sign-in' : '/sign-up'} replace />;
}
