import { Button } from '@mantine/core';
import { PencilIcon } from '@primer/octicons-react';
import { Link } from 'wouter';
import { useWords } from '../../../i18n/texts.tsx';
import styles from './notice.module.css';

/** On one's own profile. */
export function OwnNotice() {
  const words = useWords().people;
  return (
    <div className={styles.notice}>
      <p className={styles.text}>{words.ownProfile}</p>
      <Button
        component={Link}
        href="/settings/profile"
        variant="light"
        leftSection={<PencilIcon size={16} />}
        data-testid="edit-profile"
      >
        {words.editProfile}
      </Button>
    </div>
  );
}
