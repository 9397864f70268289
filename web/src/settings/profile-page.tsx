import { Link } from 'wouter';
import { useOwn } from '../state/hooks.ts';
import { useWords } from '../words/words.tsx';
import { LoadingRows } from './loading.tsx';
import { ProfileForm } from './profile-form.tsx';
import { SettingsPage } from './section.tsx';
import styles from './settings.module.css';

/** What others see of the user, and what only he does. */
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
