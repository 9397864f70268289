import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useStores } from '../../data/hooks.ts';
import { useTexts } from '../../i18n/texts.tsx';
import { BusyButton } from '../../ui/controls/busy-button.tsx';
import { ErrorText } from '../../ui/controls/error-text.tsx';
import {
  type FieldError,
  judgeNickname,
  judgePassword,
  judgeUsername,
} from '../../ui/controls/form-fields.ts';
import { PasswordField } from '../../ui/controls/password-field.tsx';
import styles from './auth-page.module.css';
import { useEntry } from './use-auth-form.ts';

export function SignUpForm() {
  const { entrance: texts, errors: errorTexts } = useTexts();
  const { session } = useStores();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const [nickname, setNickname] = useState('');
  const [hasNickname, setHasNickname] = useState(false);
  const say = (error: FieldError | undefined) => (error === undefined ? undefined : errorTexts[error]);
  const entry = useEntry({
    check: () => ({
      username: say(judgeUsername(username)),
      password: say(judgePassword(password)),
      nickname: say(judgeNickname(nickname)),
    }),
    enter: () =>
      session.signUp({ username, password, ...(nickname.trim() !== '' && { nickname: nickname.trim() }) }),
  });
  const { fields, other } = entry.errors;
  return (
    <form className={styles.form} onSubmit={entry.submit} noValidate aria-busy={entry.isPending}>
      <TextInput
        size="md"
        name="username"
        label={texts.username}
        description={texts.usernameHint}
        autoComplete="username"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        autoFocus
        required
        withAsterisk={false}
        value={username}
        onChange={(event) => {
          setUsername(event.currentTarget.value);
          entry.forget('username');
        }}
        onBlur={() => username !== '' && entry.judge('username', say(judgeUsername(username)))}
        error={fields.username}
      />
      <PasswordField
        name="password"
        label={texts.password}
        hint={texts.passwordHint}
        autoComplete="new-password"
        value={password}
        onChange={(typed) => {
          setPassword(typed);
          entry.forget('password');
        }}
        onBlur={() => password !== '' && entry.judge('password', say(judgePassword(password)))}
        error={fields.password}
      />
      {hasNickname ? (
        <TextInput
          size="md"
          name="nickname"
          label={texts.nickname}
          description={texts.nicknameHint}
          autoComplete="nickname"
          autoFocus
          value={nickname}
          onChange={(event) => {
            setNickname(event.currentTarget.value);
            entry.forget('nickname');
          }}
          onBlur={() => entry.judge('nickname', say(judgeNickname(nickname)))}
          error={fields.nickname}
        />
      ) : (
        <button
          type="button"
          className={styles.fold}
          onClick={() => setHasNickname(true)}
          data-testid="add-nickname"
        >
          {texts.addNickname}
        </button>
      )}
      <div className={styles.enter}>
        <ErrorText error={other} sentence={entry.sentence} />
        <BusyButton
          type="submit"
          size="md"
          fullWidth
          label={texts.signUp}
          pending={texts.signingUp}
          isPending={entry.isPending}
          testId="enter"
        />
      </div>
    </form>
  );
}
