import { useEffect, useState } from 'react';
import { useStores } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { loadCommonPasswords } from './common-passwords.ts';
import styles from './new-password-field.module.css';
import { PasswordField, type PasswordFieldProps } from './password-field.tsx';

/** Without a pause, the warning of `password` would flash while `password-of-alice` is typed. */
const PAUSE_MS = 400;

/** A field in which a user chooses a password. Below it, a warning of one that many users choose takes the place of the hint. */
export function NewPasswordField({ hint, ...field }: Omit<PasswordFieldProps, 'autoComplete'>) {
  const texts = useTexts().shell;
  const { api } = useStores().doorman;
  const isCommon = useIsCommon(field.value);
  return (
    <PasswordField
      {...field}
      autoComplete="new-password"
      onFocus={() => void loadCommonPasswords(api)}
      hint={
        <>
          {!isCommon && hint}
          <span role="status" className={styles.common} data-testid="password-common">
            {isCommon && texts.passwordCommon}
          </span>
        </>
      }
    />
  );
}

/** Whether a password is one of the common ones, once it has not changed for a moment. */
function useIsCommon(password: string): boolean {
  const { api } = useStores().doorman;
  const [common, setCommon] = useState<string>();
  useEffect(() => {
    if (password === '') return;
    let isCurrent = true;
    const look = async () => {
      const passwords = await loadCommonPasswords(api);
      if (isCurrent && passwords.has(password.toLowerCase())) setCommon(password);
    };
    const pause = setTimeout(() => void look(), PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(pause);
    };
  }, [api, password]);
  return password !== '' && password === common;
}
