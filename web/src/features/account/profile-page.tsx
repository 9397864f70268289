import { Link } from 'wouter';
import { useTexts } from '../../i18n/texts.tsx';
import { LoadingRows } from '../../ui/list/loading.tsx';
import { SettingsPage } from '../../ui/list/section.tsx';
import styles from '../../ui/list/settings.module.css';
import { useOwnAccount } from './model/hooks.ts';
import { ProfileForm } from './profile-form.tsx';

/** The user's profile: what others see, and what only they see. */
export function ProfilePage() {
  const texts = useTexts().settings;
  const { profile } = useOwnAccount();
  return (
    <SettingsPage title={texts.profile}>
      {profile ? (
        <>
          <Link
            href={`/people/${encodeURIComponent(profile.id)}`}
            className={styles.link}
            data-testid="as-others"
          >
            {texts.showAsOthers}
          </Link>
          <ProfileForm profile={profile} />
        </>
      ) : (
        <LoadingRows />
      )}
    </SettingsPage>
  );
}
