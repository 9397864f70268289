import type { PagesView } from '../../../data/views.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { Button } from '../../../ui/controls/button.tsx';
import { SkeletonRows } from '../../../ui/list/skeleton-rows.tsx';
import { useTimes } from '../../../ui/person/time-text.tsx';
import styles from './list-foot.module.css';
import { useSecondsUntil } from './use-seconds-until.ts';

/** Below the loaded rows: placeholders of the next page, or why it does not come. */
export function ListFoot({ view, onRetry }: { view: PagesView; onRetry: () => void }) {
  const { people: texts, shell } = useTexts();
  if (view.waitsUntil !== undefined) return <WaitText until={view.waitsUntil} />;
  if (view.failure !== undefined)
    return (
      <p className={styles.foot} role="status">
        {texts.moreFailed}
        <Button variant="light" size="compact-sm" onClick={onRetry}>
          {shell.retry}
        </Button>
      </p>
    );
  return view.hasMore ? <SkeletonRows count={4} /> : null;
}

/** After too many calls: in how many seconds loading goes on. @param until epoch milliseconds */
export function WaitText({ until }: { until: number }) {
  const texts = useTexts().people;
  const { duration } = useTimes();
  const seconds = useSecondsUntil(until);
  return <p className={styles.foot}>{texts.waits(duration(seconds))}</p>;
}
