import { SearchIcon } from '@primer/octicons-react';
import { type KeyboardEvent, type Ref, useImperativeHandle, useRef } from 'react';
import { useTexts } from '../../i18n/texts.tsx';
import { CloseButton, TextInput } from '../fields/fields.tsx';
import styles from './search-field.module.css';

interface SearchFieldProps {
  ref?: Ref<HTMLInputElement>;
  value: string;
  onChange: (text: string) => void;
  /** Keys other than Escape, which clears the field. */
  onKeyDown?: (event: KeyboardEvent) => void;
  /** For screen readers. */
  label: string;
  /** What can be typed. */
  hint: string;
  testId: string;
}

/** The search field above a list, with a button to clear it. */
export function SearchField({ ref, value, onChange, onKeyDown, label, hint, testId }: SearchFieldProps) {
  const texts = useTexts().people;
  const input = useRef<HTMLInputElement>(null);
  useImperativeHandle(ref, () => input.current as HTMLInputElement, []); // mounted with the field
  const clear = () => {
    onChange('');
    input.current?.focus();
  };
  return (
    <TextInput
      ref={input}
      type="search"
      classNames={{ wrapper: styles.field, input: styles.input }}
      aria-label={label}
      placeholder={hint}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || value === '') return onKeyDown?.(event);
        event.preventDefault();
        clear();
      }}
      leftSection={<SearchIcon />}
      rightSection={
        value !== '' && (
          <CloseButton
            className={styles.clear}
            iconSize={20}
            aria-label={texts.clearSearch}
            onClick={clear}
            tabIndex={-1}
          />
        )
      }
      maxLength={128}
      dir="auto"
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      enterKeyHint="search"
      data-testid={testId}
    />
  );
}
