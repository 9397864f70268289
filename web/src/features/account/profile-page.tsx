import { Link } from 'wouter';
import { useWords } from '../../i18n/texts.tsx';
import { LoadingRows } from '../../ui/list/loading.tsx';
import { SettingsPage } from '../../ui/list/section.tsx';
import styles from '../../ui/list/settings.module.css';
import { useOwn } from './model/hooks.ts';
import { ProfileForm } from './profile-form.tsx';

/** The user's profile: what others see, and what only they see. */
export function ProfilePage() {
  const words = useWords().settings;
  const { profile } = useOwn();
  return (
    <SettingsPage title={words.profile}>
      {profile ? (
        <>
          <Link
            href={`/people/${encodeURIComponent(profile.id)}`}
            className={styles.link}
            data-testid="as-others"
          >
            {words.showAsOthers}
          </Link>
          <ProfileForm profile={profile} />
        </>
      ) : (
        <LoadingRows />
      )}
    </SettingsPage>
  );
}
