import { CommentIcon } from '@primer/octicons-react';
import { useTexts } from '../../../i18n/texts.tsx';
import { chatPath } from '../../../paths.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Skeleton } from '../../../ui/list/skeleton.tsx';
import { PersonAvatar } from '../../../ui/person/person-avatar.tsx';
import { isUsername } from '../list/name-filter.ts';
import { useIsBlocked, usePresence } from '../model/hooks.ts';
import { FriendButtons } from './friend-buttons.tsx';
import styles from './person-hero.module.css';
import { PresenceText } from './presence-text.tsx';

/** The user of a profile; empty strings while they are not known. */
export interface ShownPerson {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly avatar: string;
  /** 1 or 0, from the profile. */
  readonly isOnline: number | undefined;
}

/** The head of a profile: picture, names, presence, and the most likely actions. */
export function PersonHero({ person, isOwn }: { person: ShownPerson; isOwn: boolean }) {
  const texts = useTexts().people;
  const presence = usePresence(person.id, person.isOnline);
  const isBlocked = useIsBlocked(person.id);
  const isKnown = person.name !== '';
  return (
    <div className={styles.hero}>
      {isKnown ? (
        <PersonAvatar person={person} size={104} presence={presence.state} />
      ) : (
        <Skeleton circle height={104} />
      )}
      <div className={styles.names}>
        {isKnown ? (
          <>
            <h2 className={styles.name} dir="auto">
              {person.name}
            </h2>
            {!isUsername(person) && (
              <p className={styles.username}>
                <bdi>@{person.username}</bdi>
              </p>
            )}
            <PresenceText presence={presence} isBlocked={isBlocked} />
          </>
        ) : (
          <>
            <Skeleton height={22} width={180} />
            <Skeleton height={14} width={110} marginTop={10} />
          </>
        )}
      </div>
      {isKnown && !isOwn && !isBlocked && (
        <div className={styles.actions}>
          <Button
            href={chatPath(person.id)}
            className={styles.action}
            leftSection={<CommentIcon />}
            data-testid="profile-message"
          >
            {texts.message}
          </Button>
          <FriendButtons userId={person.id} className={styles.action} />
        </div>
      )}
    </div>
  );
}
