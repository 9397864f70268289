import { QuestionIcon } from '@primer/octicons-react';
import { useEffect } from 'react';
import { useTexts } from '../../i18n/texts.tsx';
import { Button } from '../controls/button.tsx';
import { EmptyState } from '../list/empty-state.tsx';
import styles from './not-found.module.css';
import { PageHeader } from './page-header.tsx';

/** In the pane of a page whose address is unknown. The service answers such an address with 404. */
export function NotFound() {
  const texts = useTexts().shell;
  return (
    <>
      <PageHeader title={texts.notFoundTitle} back="/" />
      <Nothing href="/" button={texts.toChats} />
    </>
  );
}

/** The same without a session: an unknown address leads to no sign-in, as nothing would be behind it. */
export function NotFoundOutside() {
  const { shell } = useTexts();
  useEffect(() => {
    document.title = `${shell.notFoundTitle} · ${shell.brand}`;
  }, [shell]);
  return (
    <main className={styles.outside}>
      <PageHeader title={shell.notFoundTitle} />
      <Nothing href="/sign-in" button={shell.signIn} />
    </main>
  );
}

function Nothing({ href, button }: { href: string; button: string }) {
  const texts = useTexts().shell;
  return (
    <EmptyState
      icon={<QuestionIcon />}
      title={texts.notFound}
      action={
        <Button href={href} data-testid="leave-not-found">
          {button}
        </Button>
      }
    >
      {texts.notFoundSays}
    </EmptyState>
  );
}
