import { BusyButton } from '../../ui/controls/busy-button.tsx';
import { ErrorText } from '../../ui/controls/error-text.tsx';
import styles from './auth-page.module.css';

interface FormEndProps {
  form: { isPending: boolean; error?: unknown; sentence: (error: unknown) => string };
  label: string;
  /** What the button says while the form is sent. */
  pending: string;
  /** The words that lead to the button below the form, if there is one. */
  or: string | undefined;
}

/** The button of a form; below it the error of the form, in place of the words that lead elsewhere. */
export function FormEnd({ form, label, pending, or }: FormEndProps) {
  const { error } = form;
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
        <ErrorText error={error} sentence={form.sentence} />
        {error === undefined && or !== undefined && <p className={styles.or}>{or}</p>}
      </div>
    </>
  );
}
