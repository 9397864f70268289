import { AlertIcon } from '@primer/octicons-react';
import { errorSentence, errorWordSentence } from '../../i18n/error-sentence.ts';
import { useLanguage } from '../../i18n/texts.tsx';
import styles from './error-text.module.css';

/**
 * What went wrong, in a kind sentence, read out at once.
 *
 * @param props.error what was caught, or the bare word of an envelope; nothing is shown for `undefined`
 * @param props.sentence left out: `useErrorSentence`
 */
export function ErrorText(props: { error: unknown; sentence?: (error: unknown) => string }) {
  const errorSentence = useErrorSentence();
  const { error, sentence = errorSentence } = props;
  return (
    <div role="alert">
      {error !== undefined && (
        <p className={styles.error}>
          <AlertIcon size={16} className={styles.icon} />
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
