import { useTexts } from '../../i18n/texts.tsx';
import styles from './auth-page.module.css';

/** In place of the form to create an account, where no one can. */
export function RegistrationClosed() {
  const texts = useTexts().auth;
  return (
    <>
      <p className={styles.closed} role="status" data-testid="registration-closed">
        {texts.closedSays}
      </p>
      <p className={styles.or}>{texts.haveAccount}</p>
    </>
  );
}
