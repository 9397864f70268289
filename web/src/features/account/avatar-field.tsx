import type { ReactNode } from 'react';
import { useTexts } from '../../i18n/texts.tsx';
import { TextInput, type TextInputProps } from '../../ui/fields/fields.tsx';
import { PersonAvatar } from '../../ui/person/person-avatar.tsx';
import styles from './profile-form.module.css';
import { usePicture } from './use-picture.ts';

interface AvatarFieldProps extends TextInputProps {
  value: string;
  person: { id: string; name: string };
  /** The field beside the picture. */
  children: ReactNode;
}

/** The picture as others will see it, a field beside it, and the field for the address of the picture. */
export function AvatarField({ value, person, error, children, ...field }: AvatarFieldProps) {
  const texts = useTexts().settings;
  const picture = usePicture(value);
  return (
    <div className={styles.identity}>
      <div className={styles.picture}>
        <PersonAvatar person={{ ...person, avatar: picture.address }} size={88} />
      </div>
      {children}
      <div className={styles.address}>
        <TextInput
          {...field}
          value={value}
          error={error}
          label={texts.avatar}
          description={texts.avatarHint}
          type="url"
          inputMode="url"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          dir="ltr"
        />
        <div className={styles.unseen} role="status" data-testid="avatar-unseen">
          {picture.state === 'failed' && !error && texts.avatarUnseen}
        </div>
      </div>
    </div>
  );
}
