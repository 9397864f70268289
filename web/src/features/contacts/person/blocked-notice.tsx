import { BlockedIcon } from '@primer/octicons-react';
import { useState } from 'react';
import { useIsOffline } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { useKeepFocus } from '../../../ui/list/use-keep-focus.ts';
import { useIsBlocked } from '../model/hooks.ts';
import styles from './notice.module.css';
import { PersonDialog } from './person-dialog.tsx';

/** On the profile of a blocked user: what the block does, and a button to unblock. */
export function BlockedNotice({ userId }: { userId: string }) {
  const texts = useTexts().people;
  const isBlocked = useIsBlocked(userId);
  const isOffline = useIsOffline();
  const [isAsking, setAsking] = useState(false);
  useKeepFocus(isAsking);
  return (
    <>
      {isBlocked && (
        <section className={styles.notice} data-kind="blocked" data-testid="blocked-notice">
          <BlockedIcon />
          <div className={styles.text}>
            <h3>{texts.youBlocked}</h3>
            <p>{texts.youBlockedSays}</p>
          </div>
          <Button
            variant="default"
            disabled={isOffline}
            onClick={() => setAsking(true)}
            data-testid="unblock"
          >
            {texts.unblock}
          </Button>
        </section>
      )}
      <PersonDialog
        userId={userId}
        question={isAsking ? 'unblock' : undefined}
        onClose={() => setAsking(false)}
      />
    </>
  );
}
