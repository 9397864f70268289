import type { OwnUser } from 'doorman-client';
import { useTexts } from '../../i18n/texts.tsx';
import { Choice } from '../../ui/controls/choice.tsx';
import { useErrorSentence } from '../../ui/controls/error-text.tsx';
import { useToast } from '../../ui/controls/toasts.tsx';
import { Textarea, TextInput } from '../../ui/fields/fields.tsx';
import { useForm } from '../../ui/fields/use-form.ts';
import { AvatarField } from './avatar-field.tsx';
import { BioCount } from './bio-count.tsx';
import { useOwnAccountStore } from './model/hooks.ts';
import {
  changedFields,
  findInvalid,
  GENDERS,
  OTHER_FIELDS,
  type ProfileField,
  shownProfile,
} from './profile-fields.ts';
import styles from './profile-form.module.css';
import { SaveBar } from './save-bar.tsx';
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

  const sentences: Record<Exclude<ProfileField, 'gender'>, string> = {
    ...texts.invalid,
    nickname: errorTexts.nickname_too_long,
    avatar: errorTexts.avatar_invalid,
  };
  const findErrors = (): Partial<Record<ProfileField, string | undefined>> =>
    Object.fromEntries(findInvalid(body, location.origin).map((name) => [name, sentences[name]]));
  const form = useForm({
    values: shown,
    onChange: change,
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

  const field = (name: Exclude<ProfileField, 'gender'>) => {
    const { onChange, ...rest } = form.field(name);
    const onInput = (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value);
    return { size: 'md', ...rest, onChange: onInput };
  };

  return (
    <form className={styles.form} {...form.attributes}>
      <AvatarField
        {...field('avatar')}
        saved={profile.avatar}
        onChange={(avatar) => form.change({ avatar })}
        onUploaded={() => edits.avatar !== undefined && drop({ avatar: edits.avatar })}
        person={{ id: profile.id, name: shown.nickname.trim() || profile.username }}
      >
        <TextInput
          {...field('nickname')}
          label={texts.nickname}
          description={texts.nicknameHint}
          placeholder={profile.username}
          autoComplete="nickname"
          dir="auto"
        />
      </AvatarField>
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
      <div className={styles.pair}>
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
      </div>
      {OTHER_FIELDS.map((name) => (
        <TextInput {...field(name)} key={name} label={texts.otherFields[name]} dir="auto" />
      ))}
      <Choice
        label={texts.gender}
        value={shown.gender}
        options={GENDERS.map((value) => ({ value, label: texts.genders[value] }))}
        onChange={(gender) => form.change({ gender })}
        testId="gender"
      />
      <SaveBar
        isChanged={isChanged}
        isPending={form.isPending}
        error={form.error}
        onDiscard={() => {
          form.clearErrors();
          drop();
        }}
      />
    </form>
  );
}
