import type { AccountLeaving } from 'doorman-client';
import { useEffect, useRef } from 'react';
import { useStores } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { useTimes } from '../../ui/person/time-text.tsx';
import styles from './auth-page.module.css';
import { FormEnd } from './form-end.tsx';
import { useAuthForm } from './use-auth-form.ts';

interface KeepAccountProps {
  leaving: AccountLeaving;
  /** Back to the sign-in. */
  onBack: () => void;
}

/** In place of the form to sign in, for a user who asked for the deletion of their account: the sign-in alone takes nothing back. */
export function KeepAccount({ leaving, onBack }: KeepAccountProps) {
  const texts = useTexts().auth;
  const { doorman } = useStores();
  const times = useTimes();
  const own = useRef<HTMLDivElement>(null);
  useEffect(() => own.current?.focus(), []);
  const form = useAuthForm({
    values: {},
    onChange: () => {},
    check: () => ({}),
    send: async () => void (await doorman.keepAccount(leaving.ticket)),
  });
  return (
    <>
      <form className={styles.form} {...form.attributes}>
        <div ref={own} className={styles.result} tabIndex={-1} data-testid="keep-account">
          <p className={styles.end} role="status">
            {texts.keepSays(times.stamp(leaving.until))}
          </p>
          <p className={styles.next}>{texts.keepBack}</p>
        </div>
        <FormEnd form={form} label={texts.keep} pending={texts.keeping} or={texts.keepElse} />
      </form>
      <Button variant="default" size="md" fullWidth onClick={onBack} data-testid="keep-not">
        {texts.keepNot}
      </Button>
    </>
  );
}
