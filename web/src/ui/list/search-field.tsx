import { CloseButton, TextInput } from '@mantine/core';
import { SearchIcon } from '@primer/octicons-react';
import { type Ref, useImperativeHandle, useRef } from 'react';
import { useTexts } from '../../i18n/texts.tsx';
import styles from './search-field.module.css';

interface SearchFieldProps {
  ref: Ref<HTMLInputElement>;
  value: string;
  onChange: (text: string) => void;
}

export function SearchField({ ref, value, onChange }: SearchFieldProps) {
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
      classNames={{ input: styles.input }}
      aria-label={texts.search}
      placeholder={texts.searchHint}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || value === '') return;
        event.preventDefault();
        clear();
      }}
      leftSection={<SearchIcon size={16} />}
      rightSection={
        value !== '' && (
          <CloseButton
            className={styles.clear}
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
      data-testid="people-search"
    />
  );
}
