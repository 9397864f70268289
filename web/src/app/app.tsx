import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import type { SessionEnd } from 'doorman-client';
import { useEffect, useState } from 'react';
import { Redirect, useLocation } from 'wouter';
import { usePathname } from 'wouter/use-browser-location';
import { StoresContext, useSession } from '../data/hooks.ts';
import { recordVisit, wasVisited } from '../data/visited.ts';
import { OwnAccountContext } from '../features/account/model/hooks.ts';
import { AuthPage } from '../features/auth/auth-page.tsx';
import { ChatsContext } from '../features/chat/model/hooks.ts';
import { ContactsContext } from '../features/contacts/model/hooks.ts';
import { LanguageProvider } from '../i18n/texts.tsx';
import { isPagePath } from '../paths.ts';
import { ToastProvider } from '../ui/controls/toasts.tsx';
import { ColorOfWindow } from '../ui/page/color-scheme.tsx';
import { NotFoundOutside } from '../ui/page/not-found.tsx';
import { theme } from '../ui/page/theme.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { Layout } from './layout.tsx';
import { Splash } from './splash.tsx';
import type { Stores } from './stores.ts';

/** The key is that of first-paint.js too. */
const colorSchemeManager = localStorageColorSchemeManager({ key: 'doorman.color-scheme' });

/** The whole page for one set of `stores`. Mantine's variables come from theme.css, since <style> tags are forbidden. */
export function App({ stores }: { stores: Stores }) {
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={colorSchemeManager}
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <ColorOfWindow />
      <LanguageProvider>
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
    </MantineProvider>
  );
}

/** Shows the sign-in or the page, and neither until the session is known. */
function SessionGate() {
  const session = useSession();
  const [path] = useLocation();
  const isEntrance = path === '/sign-in' || path === '/sign-up';
  const isKnown = isPagePath(usePathname());
  const userId = session.state === 'signed_in' ? session.session.userId : undefined;
  useEffect(() => {
    if (userId !== undefined) lastUserId = userId;
    if (session.state !== 'restoring') recordVisit(userId !== undefined);
  }, [userId, session.state]);
  switch (session.state) {
    case 'restoring':
      return <Splash />;
    case 'signed_out':
      if (!isKnown) return <NotFoundOutside />;
      return isEntrance ? <AuthPage end={session.end} /> : <ToEntrance end={session.end} />;
    case 'signed_in':
      // Another tab has signed another user in: the address is the previous user's.
      if (lastUserId !== undefined && lastUserId !== userId && !isEntrance && path !== '/')
        return <Redirect to="/" replace />;
      // The key of the next user resets the state of all components.
      return isEntrance ? (
        <Redirect to={startPathOf(session.session.userId)} replace />
      ) : (
        <Layout key={session.session.userId} />
      );
  }
}

/** The user who was signed in last, since the page was loaded. */
let lastUserId: string | undefined;
/** The path to open after the sign-in, with its query, as of a notification or a link, and the user that it belongs to, if known. */
let wanted: { path: string; userId: string | undefined } | undefined;

/** No user is led to a path of another one. */
function startPathOf(userId: string): string {
  return wanted && (wanted.userId ?? userId) === userId ? wanted.path : '/';
}

/** Remembers the current address, unless the user signed out. In a browser that no user has used before, most are new users. */
function ToEntrance({ end }: { end: SessionEnd | undefined }) {
  const [path] = useState(() => location.pathname + location.search);
  useEffect(() => {
    wanted = end === undefined || end === 'expired' ? { path, userId: lastUserId } : undefined;
  }, [path, end]);
  return <Redirect to={end !== undefined || wasVisited() ? '/sign-in' : '/sign-up'} replace />;
}
