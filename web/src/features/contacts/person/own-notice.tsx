import { PencilIcon } from '@primer/octicons-react';
import { useTexts } from '../../../i18n/texts.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import styles from './notice.module.css';

/** On the user's own profile: that others see it so, and a link to edit it. */
export function OwnNotice() {
  const texts = useTexts().people;
  return (
    <div className={styles.notice}>
      <p className={styles.text}>{texts.ownProfile}</p>
      <Button
        href="/settings/profile"
        variant="light"
        leftSection={<PencilIcon />}
        data-testid="edit-profile"
      >
        {texts.editProfile}
      </Button>
    </div>
  );
}
