import { AlertIcon } from '@primer/octicons-react';
import { errorSentence, errorWordSentence } from '../../i18n/error-sentence.ts';
import { useLanguage } from '../../i18n/texts.tsx';
import styles from './error-text.module.css';

/**
 * An error as a sentence for users, which screen readers announce.
 *
 * @param props.error what was caught, or an error word of the service; nothing is shown for `undefined`
 * @param props.sentence default: `useErrorSentence`
 */
export function ErrorText(props: { error: unknown; sentence?: (error: unknown) => string }) {
  const errorSentence = useErrorSentence();
  const { error, sentence = errorSentence } = props;
  return (
    <div role="alert">
      {error !== undefined && (
        <p className={styles.error}>
          <AlertIcon />
          <span>{sentence(error)}</span>
        </p>
      )}
    </div>
  );
}

/** For toasts, and errors beside a field. */
export function useErrorSentence(): (error: unknown) => string {
  const { language } = useLanguage();
  return (error) =>
    typeof error === 'string' ? errorWordSentence(error, language) : errorSentence(error, language);
}
