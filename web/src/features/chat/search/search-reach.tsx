import { useState } from 'react';
import { LOCALES } from '../../../i18n/languages.ts';
import { useLanguage, useTexts } from '../../../i18n/texts.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { useErrorSentence } from '../../../ui/controls/error-text.tsx';
import { useTimes } from '../../../ui/person/time-text.tsx';
import { useSecondsUntil } from '../../contacts/list/use-seconds-until.ts';
import type { MessageSearch, MessageSearchView } from './message-search.ts';
import styles from './search.module.css';
import { useSearchTexts } from './texts.ts';

interface SearchReachProps {
  view: MessageSearchView;
  search: MessageSearch;
}

/** How far a search in messages went: that it goes on, waits or failed, where it looked, and a button that goes on. */
export function SearchReach({ view, search }: SearchReachProps) {
  const texts = useSearchTexts();
  const { shell } = useTexts();
  const sentence = useErrorSentence();
  const { language } = useLanguage();
  const { q, isLoading, isOnDevice, hasMore, searched, waitsUntil, failure } = view;
  const [continued, setContinued] = useState<string>();
  const hasFailed = !isLoading && failure !== undefined;
  if (!isLoading && !hasFailed && !isOnDevice && !hasMore) return null;
  const says = () => {
    if (waitsUntil !== undefined) return <Wait until={waitsUntil} />;
    if (isLoading) return texts.searching;
    if (hasFailed) return `${texts.failed} ${sentence(failure)}`;
    if (isOnDevice) return texts.onDevice;
    return texts.searched(new Intl.NumberFormat(LOCALES[language]).format(searched));
  };
  return (
    <p className={styles.reach}>
      {says()}
      {(isLoading ? continued === q : hasMore || hasFailed) && (
        // Once pressed, it stays while the search reads on, with the focus.
        <Button
          variant="light"
          size="compact-sm"
          aria-disabled={isLoading}
          onClick={() => {
            setContinued(q);
            search.more();
          }}
          data-testid="search-further"
        >
          {hasFailed ? shell.retry : texts.further}
        </Button>
      )}
    </p>
  );
}

function Wait({ until }: { until: number }) {
  const texts = useSearchTexts();
  const { duration } = useTimes();
  // Each second would be read out.
  return <span aria-live="off">{texts.waits(duration(useSecondsUntil(until)))}</span>;
}
