import { EyeClosedIcon, EyeIcon } from '@primer/octicons-react';
import { type ReactNode, useState } from 'react';
import { useTexts } from '../../i18n/texts.tsx';
import { TextInput } from './fields.tsx';
import { INPUT_ORDER } from './form-fields.ts';
import styles from './password-field.module.css';

export interface PasswordFieldProps {
  /** For password managers. */
  autoComplete: 'current-password' | 'new-password';
  label: string;
  name: string;
  value: string;
  onChange: (password: string) => void;
  onBlur?: () => void;
  onFocus?: () => void;
  hint?: ReactNode;
  error?: string | undefined;
  disabled?: boolean;
  autoFocus?: boolean;
  className?: string | undefined;
}

/** A password field with a button that shows the password. */
export function PasswordField({ onChange, hint, ...field }: PasswordFieldProps) {
  const texts = useTexts().shell;
  const [isShown, setShown] = useState(false);
  return (
    <TextInput
      {...field}
      size="md"
      type={isShown ? 'text' : 'password'}
      description={field.error === undefined ? hint : undefined}
      inputWrapperOrder={INPUT_ORDER}
      required
      withAsterisk={false}
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      onChange={(event) => onChange(event.currentTarget.value)}
      rightSectionWidth={46}
      rightSection={
        <button
          type="button"
          className={styles.eye}
          aria-label={isShown ? texts.hidePassword : texts.showPassword}
          onClick={() => setShown(!isShown)}
          data-testid="show-password"
        >
          {isShown ? <EyeClosedIcon /> : <EyeIcon />}
        </button>
      }
    />
  );
}
