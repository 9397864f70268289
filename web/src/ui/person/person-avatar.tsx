import { avatarUrl } from 'doorman-client';
import type { CSSProperties } from 'react';
import { useTexts } from '../../i18n/texts.tsx';
import { VisuallyHidden } from '../controls/visually-hidden.tsx';
import { avatarHue, initialsOf } from './avatar.ts';
import { failedPictures, useHasFailed } from './failed-pictures.ts';
import styles from './person-avatar.module.css';

interface PersonAvatarProps {
  /** For example a `PersonView`, a profile or a row of the directory. */
  person: { id: string; name: string; avatar: string };
  /** Pixels. */
  size?: number;
  /** `online` and `idle` show a dot. */
  presence?: 'online' | 'idle' | 'offline' | 'unknown';
}

/**
 * The picture of a user, or the initials of the name on a colour of the user's own. Screen readers get only the presence, as
 * the name is next to it.
 */
export function PersonAvatar({ person, size = 40, presence = 'unknown' }: PersonAvatarProps) {
  const texts = useTexts().shell;
  const src = avatarUrl(person.avatar, location.origin);
  const isPicture = !useHasFailed(src) && src !== undefined;
  return (
    <span
      className={styles.avatar}
      style={{ width: size, height: size, fontSize: `var(--mantine-font-size-${initialsSize(size)})` }}
    >
      {isPicture ? (
        <img
          className={styles.picture}
          src={src}
          alt=""
          width={size}
          height={size}
          loading="lazy"
          decoding="async"
          referrerPolicy="no-referrer"
          draggable={false}
          onError={() => failedPictures.add(src)}
        />
      ) : (
        <span
          className={styles.initials}
          style={{ '--hue': avatarHue(person.id) } as CSSProperties} // which has no variables
          data-initials=""
          aria-hidden="true"
        >
          {initialsOf(person.name)}
        </span>
      )}
      {(presence === 'online' || presence === 'idle') && (
        <span className={styles.dot} data-presence={presence} data-large={size >= 64 || undefined}>
          <VisuallyHidden>{presence === 'online' ? texts.online : texts.idle}</VisuallyHidden>
        </span>
      )}
    </span>
  );
}

/** The size of the page's text that fits into a circle of `size` pixels. */
function initialsSize(size: number): 'sm' | 'md' | 'lg' | 'xl' {
  if (size < 40) return 'sm';
  if (size < 56) return 'md';
  return size < 72 ? 'lg' : 'xl';
}
