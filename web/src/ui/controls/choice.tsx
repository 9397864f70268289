import { type ReactNode, useId } from 'react';
import styles from './choice.module.css';

interface ChoiceProps<V extends string> {
  label: string;
  value: V;
  options: readonly { value: V; label: ReactNode; lang?: string }[];
  onChange: (value: V) => void;
  testId?: string;
}

/** A group of radio buttons in one line. */
export function Choice<V extends string>({ label, value, options, onChange, testId }: ChoiceProps<V>) {
  const name = useId();
  return (
    <fieldset data-testid={testId}>
      <legend className={styles.label}>{label}</legend>
      <div className={styles.options}>
        {options.map((option) => (
          <label key={option.value} className={styles.option} lang={option.lang}>
            <input
              type="radio"
              className={styles.radio}
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            <span className={styles.face}>{option.label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
