import { Button } from '@mantine/core';
import { PencilIcon } from '@primer/octicons-react';
import { Link } from 'wouter';
import { useTexts } from '../../../i18n/texts.tsx';
import styles from './notice.module.css';

/** On one's own profile. */
export function OwnNotice() {
  const texts = useTexts().people;
  return (
    <div className={styles.notice}>
      <p className={styles.text}>{texts.ownProfile}</p>
      <Button
        component={Link}
        href="/settings/profile"
        variant="light"
        leftSection={<PencilIcon size={16} />}
        data-testid="edit-profile"
      >
        {texts.editProfile}
      </Button>
    </div>
  );
}
