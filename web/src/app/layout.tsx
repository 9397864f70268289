import { type ReactNode, useEffect } from 'react';
import { useLocation } from 'wouter';
import { usePathname } from 'wouter/use-browser-location';
import { useChats } from '../features/chat/model/hooks.ts';
import { useTexts } from '../i18n/texts.tsx';
import { parsePath } from '../paths.ts';
import { DocumentTitle } from '../ui/page/document-title.tsx';
import { PaneContext } from '../ui/page/panes.ts';
import { awaitFocusOf } from '../ui/page/route-focus.ts';
import { useRefusedFiles } from '../ui/page/use-refused-files.ts';
import { useViewportHeight } from '../ui/page/viewport-height.ts';
import { Banners } from './banners/banners.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import styles from './layout.module.css';
import { Navigation } from './navigation.tsx';
import { ListRoutes, PageRoutes } from './routes.tsx';
import { Shortcuts } from './shortcuts/shortcuts.tsx';
import { SignOutProvider } from './sign-out.tsx';

/**
 * The page of a signed-in user: navigation, the list of a section, and what the user chose in it.
 *
 * @param props.isFirst see {@link PageRoutes}
 */
export function Layout({ isFirst }: { isFirst: boolean }) {
  const texts = useTexts().shell;
  const [path] = useLocation();
  const current = parsePath(usePathname());
  const { unreadTotal } = useChats();
  useViewportHeight();
  useRefusedFiles();
  useEffect(() => awaitFocusOf(path), [path]);
  const front = current.isDeep ? 'page' : 'list';
  return (
    <SignOutProvider>
      <div className={styles.layout} data-front={front} data-chat={current.isChat || undefined}>
        <a className={styles.skip} href="#main">
          {texts.skip}
        </a>
        <Navigation current={current} />
        <main className={styles.main} id="main" tabIndex={-1}>
          <div className={styles.panes}>
            <Pane name="list" isFront={front === 'list'} className={styles.list} path={current.section}>
              <ListRoutes section={current.section} />
            </Pane>
            <Pane name="page" isFront={front === 'page'} className={styles.page} path={path}>
              <PageRoutes isFirst={isFirst} />
            </Pane>
            <Banners className={styles.banners} />
          </div>
        </main>
        <DocumentTitle unreadTotal={unreadTotal} />
        <Shortcuts current={current} />
      </div>
    </SignOutProvider>
  );
}

interface PaneProps {
  name: 'list' | 'page';
  isFront: boolean;
  className: string | undefined;
  /** With another path, a pane that failed renders again. */
  path: string;
  children: ReactNode;
}

function Pane({ name, isFront, className, path, children }: PaneProps) {
  return (
    <div className={className} data-pane={name}>
      <PaneContext value={isFront ? 'front' : 'behind'}>
        <ErrorBoundary key={path}>{children}</ErrorBoundary>
      </PaneContext>
    </div>
  );
}
