import type { ReactNode } from 'react';
import { useTexts } from '../../i18n/texts.tsx';
import { TextInput, type TextInputProps } from '../../ui/fields/fields.tsx';
import { PersonAvatar } from '../../ui/person/person-avatar.tsx';
import { PictureButtons } from './picture/picture-buttons.tsx';
import styles from './profile-form.module.css';
import { usePicture } from './use-picture.ts';

/** How the addresses of uploaded pictures begin, which no one types. */
const UPLOADED = '/media/avatars/';

interface AvatarFieldProps extends Omit<TextInputProps, 'onChange'> {
  value: string;
  /** The value that the service has. */
  saved: string;
  onChange: (value: string) => void;
  onUploaded: () => void;
  person: { id: string; name: string };
  /** The field beside the picture. */
  children: ReactNode;
}

/** The picture as others will see it, a field beside it, the buttons that change it, and the field for the address of a picture elsewhere. */
export function AvatarField({
  value,
  saved,
  onChange,
  onUploaded,
  person,
  error,
  children,
  ...field
}: AvatarFieldProps) {
  const texts = useTexts().settings;
  const isUploaded = value.startsWith(UPLOADED);
  const typed = usePicture(isUploaded ? '' : value);
  return (
    <div className={styles.identity}>
      <div className={styles.picture}>
        <PersonAvatar person={{ ...person, avatar: isUploaded ? value : typed.address }} size={88} />
      </div>
      {children}
      <div className={styles.address}>
        <PictureButtons hasPicture={value !== ''} onRemove={() => onChange('')} onSaved={onUploaded} />
        <div>
          <TextInput
            {...field}
            value={isUploaded ? '' : value}
            // An address that is taken back leaves the uploaded picture.
            onChange={({ currentTarget }) =>
              onChange(currentTarget.value || (saved.startsWith(UPLOADED) ? saved : ''))
            }
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
            {typed.state === 'failed' && !error && texts.avatarUnseen}
          </div>
        </div>
      </div>
    </div>
  );
}
