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
  const { isLoading, isOnDevice, hasMore, searched, waitsUntil, failure } = view;
  if (waitsUntil !== undefined) return <Wait until={waitsUntil} />;
  if (isLoading) return <p className={styles.reach}>{texts.searching}</p>;
  if (failure !== undefined)
    return (
      <p className={styles.reach}>
        {texts.failed} {sentence(failure)}
        <Further label={shell.retry} search={search} />
      </p>
    );
  if (isOnDevice) return <p className={styles.reach}>{texts.onDevice}</p>;
  if (!hasMore) return null;
  return (
    <p className={styles.reach}>
      {texts.searched(new Intl.NumberFormat(LOCALES[language]).format(searched))}
      <Further label={texts.further} search={search} />
    </p>
  );
}

function Further({ label, search }: { label: string; search: MessageSearch }) {
  return (
    <Button variant="light" size="compact-sm" onClick={() => search.more()} data-testid="search-further">
      {label}
    </Button>
  );
}

function Wait({ until }: { until: number }) {
  const texts = useSearchTexts();
  const { duration } = useTimes();
  return <p className={styles.reach}>{texts.waits(duration(useSecondsUntil(until)))}</p>;
}
