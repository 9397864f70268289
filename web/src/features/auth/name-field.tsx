import { TextInput } from '../../ui/controls/fields.tsx';
import { INPUT_ORDER } from '../../ui/controls/form-fields.ts';
import styles from './auth-page.module.css';

interface NameFieldProps {
  name: 'username' | 'nickname';
  label: string;
  hint?: string;
  value: string;
  onChange: (typed: string) => void;
  onBlur?: () => void;
  error: string | undefined;
}

/** A field for a name, which takes the focus. Below it is room for its hint or its error. */
export function NameField({ name, hint, onChange, ...field }: NameFieldProps) {
  const username = {
    autoCapitalize: 'none',
    autoCorrect: 'off',
    spellCheck: false,
    required: true,
    withAsterisk: false,
  };
  return (
    <TextInput
      {...field}
      {...(name === 'username' && username)}
      className={styles.field}
      size="md"
      name={name}
      description={field.error === undefined ? hint : undefined}
      inputWrapperOrder={INPUT_ORDER}
      autoComplete={name}
      autoFocus
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
