import { Button, Textarea, TextInput } from '@mantine/core';
import type { OwnUser } from 'doorman-client';
import { useTexts } from '../../i18n/texts.tsx';
import { BusyButton } from '../../ui/controls/busy-button.tsx';
import { Choice } from '../../ui/controls/choice.tsx';
import { ErrorText, useErrorSentence } from '../../ui/controls/error-text.tsx';
import { useToast } from '../../ui/controls/toasts.tsx';
import { useForm } from '../../ui/controls/use-form.ts';
import { useKeepFocus } from '../../ui/list/use-keep-focus.ts';
import { AvatarField } from './avatar-field.tsx';
import { BioCount } from './bio-count.tsx';
import { useOwnAccountStore } from './model/hooks.ts';
import {
  changedFields,
  checkProfile,
  GENDERS,
  PROFILE_FIELDS,
  type ProfileEdits,
  type ProfileField,
  shownProfile,
} from './profile-fields.ts';
import styles from './profile-form.module.css';
import { useAskBeforeLeaving } from './use-ask-before-leaving.ts';
import { useProfileEdits } from './use-profile-edits.ts';

/** Edits the profile. Unsaved edits survive navigation, and changes of other fields by other devices. */
export function ProfileForm({ profile }: { profile: OwnUser }) {
  const { settings: texts, errors: errorTexts } = useTexts();
  const own = useOwnAccountStore();
  const toast = useToast();
  const { edits, change, drop } = useProfileEdits();
  const shown = shownProfile(profile, edits);
  const body = changedFields(profile, edits);
  const isChanged = Object.keys(body).length > 0;
  useAskBeforeLeaving(isChanged);
  useKeepFocus(isChanged);

  const findErrors = (): Partial<Record<ProfileField, string | undefined>> =>
    Object.fromEntries(
      Object.entries(checkProfile(body, document.baseURI)).map(([field, error]) => [
        field,
        { ...errorTexts, ...texts }[error],
      ]),
    );
  const form = useForm<ProfileField>({
    fields: PROFILE_FIELDS,
    check: findErrors,
    send: async () => {
      if (isChanged) await own.updateProfile(body);
      drop(edits);
      if (isChanged) toast.say(texts.saved);
    },
    fieldOf: (word) =>
      word === 'avatar_invalid' ? 'avatar' : word === 'nickname_invalid' ? 'nickname' : undefined,
    sentence: useErrorSentence(),
  });

  const edit = (changed: ProfileEdits) => {
    change(changed);
    for (const field of PROFILE_FIELDS) if (field in changed) form.clearError(field);
  };
  const field = (name: Exclude<ProfileField, 'gender'>) => ({
    size: 'md',
    name,
    value: shown[name],
    error: form.errors.fields[name],
    onChange: (event: { currentTarget: { value: string } }) => edit({ [name]: event.currentTarget.value }),
    onBlur: () => form.setError(name, findErrors()[name]),
  });

  return (
    <form className={styles.form} onSubmit={form.submit} noValidate aria-busy={form.isPending}>
      <TextInput
        {...field('nickname')}
        label={texts.nickname}
        description={texts.nicknameHint}
        placeholder={profile.username}
        autoComplete="nickname"
        dir="auto"
      />
      <AvatarField
        {...field('avatar')}
        person={{ id: profile.id, name: shown.nickname.trim() || profile.username }}
      />
      <Choice
        label={texts.gender}
        value={shown.gender}
        options={GENDERS.map((value) => ({ value, label: texts.genders[value] }))}
        onChange={(gender) => edit({ gender })}
        testId="gender"
      />
      <div>
        <Textarea
          {...field('bio')}
          label={texts.bio}
          classNames={{ label: styles.label }}
          rows={5}
          resize="vertical"
          dir="auto"
        />
        <BioCount bio={shown.bio} />
      </div>
      <TextInput
        {...field('phone')}
        label={texts.phone}
        description={texts.phoneHint}
        type="tel"
        autoComplete="tel"
      />
      <TextInput
        {...field('email')}
        label={texts.email}
        description={texts.emailHint}
        type="email"
        autoComplete="email"
        autoCapitalize="none"
        spellCheck={false}
      />
      <ErrorText error={form.errors.other} />
      <div className={styles.save} data-changed={isChanged || undefined}>
        <BusyButton
          type="submit"
          size="md"
          label={texts.save}
          pending={texts.saving}
          isPending={form.isPending}
          testId="save-profile"
        />
        {isChanged && !form.isPending && (
          <>
            <Button
              variant="default"
              size="md"
              onClick={() => {
                drop();
                for (const name of PROFILE_FIELDS) form.clearError(name);
              }}
              data-testid="undo-profile"
            >
              {texts.undo}
            </Button>
            <span className={styles.unsaved}>{texts.unsaved}</span>
          </>
        )}
      </div>
    </form>
  );
}
