import { BusyButton } from '../../ui/controls/busy-button.tsx';
import { ErrorText } from '../../ui/controls/error-text.tsx';
import styles from './auth-page.module.css';
import type { useAuthForm } from './use-auth-form.ts';

interface FormEndProps {
  form: ReturnType<typeof useAuthForm>;
  label: string;
  /** What the button says while the form is sent. */
  pending: string;
  /** The words that lead to the button below the form, if there is one. */
  or: string | undefined;
}

/** The button of a form; below it the error of the form, in place of the words that lead elsewhere. */
export function FormEnd({ form, label, pending, or }: FormEndProps) {
  const { other } = form.errors;
  return (
    <>
      <BusyButton
        type="submit"
        size="md"
        fullWidth
        label={label}
        pending={pending}
        isPending={form.isPending}
        testId="enter"
      />
      <div className={styles.under}>
        <ErrorText error={other} sentence={form.sentence} />
        {other === undefined && or !== undefined && <p className={styles.or}>{or}</p>}
      </div>
    </>
  );
}
