import { EyeIcon } from '@primer/octicons-react';
import { useTexts } from '../../i18n/texts.tsx';
import { profilePath } from '../../paths.ts';
import { Button } from '../../ui/controls/button.tsx';
import { LoadingRows } from '../../ui/list/loading.tsx';
import { SettingsPage } from '../../ui/list/section.tsx';
import { useOwnAccount } from './model/hooks.ts';
import { ProfileForm } from './profile-form.tsx';
import styles from './profile-page.module.css';

/** The user's profile: what others see, and what only they see. */
export function ProfilePage() {
  const texts = useTexts().shell;
  const { profile } = useOwnAccount();
  return (
    <SettingsPage title={texts.titles.profile} actions={profile && <AsOthers userId={profile.id} />}>
      {profile ? <ProfileForm profile={profile} /> : <LoadingRows />}
    </SettingsPage>
  );
}

function AsOthers({ userId }: { userId: string }) {
  const texts = useTexts().settings;
  return (
    <Button
      href={profilePath(userId)}
      size="xs"
      variant="default"
      className={styles.others}
      leftSection={<EyeIcon />}
      aria-label={texts.showAsOthers}
      title={texts.showAsOthers}
      data-testid="as-others"
    >
      <span className={styles.label}>{texts.showAsOthers}</span>
    </Button>
  );
}
