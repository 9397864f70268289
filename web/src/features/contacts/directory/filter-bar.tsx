import { useId } from 'react';
import { useTexts } from '../../../i18n/texts.tsx';
import hidden from '../../../ui/controls/visually-hidden.module.css';
import { CountBadge } from '../../../ui/list/list-row.tsx';
import { FILTERS, type Filter } from '../model/people-address.ts';
import styles from './filter-bar.module.css';

interface FilterBarProps {
  filter: Filter;
  onChange: (filter: Filter) => void;
  counts: { friends: number; requests: number };
}

/** Chooses which users the list shows. Radio buttons, so that the arrow keys work. */
export function FilterBar({ filter, onChange, counts }: FilterBarProps) {
  const texts = useTexts().people;
  const name = useId();
  return (
    <fieldset className={styles.bar}>
      <legend className={hidden.hidden}>{texts.show}</legend>
      {FILTERS.map((one) => (
        <label key={one} className={styles.filter} data-testid={`people-filter-${one}`}>
          <input
            className={hidden.hidden}
            type="radio"
            name={name}
            checked={one === filter}
            onChange={() => onChange(one)}
          />
          {texts[one]}
          {one === 'friends' && counts.friends > 0 && <span className={styles.count}>{counts.friends}</span>}
          {one === 'requests' && (
            <CountBadge count={counts.requests} label={texts.waitingRequests(counts.requests)} />
          )}
        </label>
      ))}
    </fieldset>
  );
}
