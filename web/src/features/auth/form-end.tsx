import { useRegistration } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { BusyButton } from '../../ui/controls/busy-button.tsx';
import { ErrorText } from '../../ui/controls/error-text.tsx';
import styles from './auth-page.module.css';
import type { useAuthForm } from './use-auth-form.ts';

interface FormEndProps {
  form: ReturnType<typeof useAuthForm>;
  kind: 'signIn' | 'signUp';
}

/** The button of a form; below it the error of the form, in place of the words that lead to the other form. */
export function FormEnd({ form, kind }: FormEndProps) {
  const texts = useTexts().auth;
  const { other } = form.errors;
  const registration = useRegistration();
  const hasOtherWay = kind === 'signUp' || registration !== 'closed';
  return (
    <>
      <BusyButton
        type="submit"
        size="md"
        fullWidth
        label={texts[kind]}
        pending={kind === 'signIn' ? texts.signingIn : texts.signingUp}
        isPending={form.isPending}
        testId="enter"
      />
      <div className={styles.under}>
        <ErrorText error={other} sentence={form.sentence} />
        {other === undefined && hasOtherWay && (
          <p className={styles.or}>{kind === 'signIn' ? texts.newHere : texts.haveAccount}</p>
        )}
      </div>
    </>
  );
}
