import { TextInput } from '../../ui/fields/fields.tsx';
import { INPUT_ORDER } from '../../ui/fields/form-fields.ts';
import styles from './auth-page.module.css';

interface NameFieldProps {
  name: 'username' | 'account' | 'nickname' | 'invite';
  label: string;
  hint?: string;
  value: string;
  onChange: (typed: string) => void;
  onBlur?: () => void;
  error: string | undefined;
}

/** A field for a name, which takes the focus, or for the code of an invite. Below it is room for its hint or its error. */
export function NameField({ name, hint, onChange, ...field }: NameFieldProps) {
  const isInvite = name === 'invite';
  const required = {
    autoCapitalize: isInvite ? 'characters' : 'none',
    autoCorrect: 'off',
    spellCheck: false,
    required: true,
    withAsterisk: false,
  };
  return (
    <TextInput
      {...field}
      {...(name !== 'nickname' && required)}
      className={styles.field}
      size="md"
      name={name}
      description={field.error === undefined ? hint : undefined}
      inputWrapperOrder={INPUT_ORDER}
      autoComplete={isInvite ? 'off' : name === 'account' ? 'username' : name}
      autoFocus={!isInvite}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
