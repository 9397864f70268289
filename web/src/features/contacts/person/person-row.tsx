import { CommentIcon } from '@primer/octicons-react';
import { createContext, memo, type ReactNode, use } from 'react';
import { useRoute } from 'wouter';
import { useTexts } from '../../../i18n/texts.tsx';
import { chatPath, profilePath } from '../../../paths.ts';
import { ListRow } from '../../../ui/list/list-row.tsx';
import { Clipped, ClippedLine, PersonName } from '../../../ui/person/name.tsx';
import { PersonAvatar } from '../../../ui/person/person-avatar.tsx';
import { isUsername } from '../list/name-filter.ts';
import { useFriendState, useIsBlocked, usePresence } from '../model/hooks.ts';
import type { PersonView } from '../model/views.ts';
import { bioExcerpt } from './person-facts.ts';
import styles from './person-row.module.css';

/** The printed query of the list around the rows: the address of a profile keeps it for the list beside it. */
export const RowQueryContext = createContext('');

/** Height of a row, in rem. */
export const ROW_REM = 4;

interface PersonRowProps {
  id: string;
  username: string;
  name: string;
  avatar: string;
  state?: PersonView['state'];
  bio?: string;
  /** 1 or 0, from the directory. */
  isOnline?: number;
  isOwn?: boolean;
  tabIndex: 0 | -1;
  /** Of the picture. */
  innerTabIndex: 0 | -1;
  /** Beside the name; null: nothing. Absent: the relation to the signed-in user, under the name, which needs the room. */
  aside?: ReactNode;
  /** In the list of friends, a friend needs no tag. */
  isAmongFriends?: boolean;
  /** A button on the end of the row, in place of the mark that a tap writes to the user; null: nothing. */
  end?: ReactNode;
  /** The row shows what this device has saved: whether the user is online is not known. */
  isSaved?: boolean;
}

/** A user in a list: opens the conversation, and their picture the profile. */
export const PersonRow = memo(function PersonRow({
  id,
  username,
  name,
  avatar,
  state = 'known',
  bio = '',
  isOnline,
  isOwn = false,
  tabIndex,
  innerTabIndex,
  aside,
  isAmongFriends = false,
  end,
  isSaved = false,
}: PersonRowProps) {
  const texts = useTexts().people;
  const query = use(RowQueryContext);
  const presence = usePresence(id, isOnline);
  const isBlocked = useIsBlocked(id);
  const [isOpen, params] = useRoute('/people/:id');
  const hasUsername = !isUsername({ name, username });
  const about = bioExcerpt(bio);
  const tag = <Tag id={id} isOwn={isOwn} isBlocked={isBlocked} isAmongFriends={isAmongFriends} />;
  const canWrite = !isOwn && !isBlocked && state !== 'gone';
  const profile = profilePath(id) + query;
  return (
    <>
      <ListRow
        href={isOwn ? profile : chatPath(id)}
        testId={`person-${id}`}
        tabIndex={tabIndex}
        isSelected={isOpen && params.id === id}
        start={<PersonAvatar person={{ id, name, avatar }} presence={isSaved ? 'unknown' : presence.state} />}
        picture={{
          href: profile,
          label: texts.profileOf(name),
          tabIndex: innerTabIndex,
          testId: `picture-${id}`,
        }}
        title={<PersonName person={{ name, state }} />}
        aside={isOwn && aside === undefined ? tag : (aside ?? undefined)}
        belowAside={isOwn || aside !== undefined ? undefined : tag}
        below={
          hasUsername || about !== '' ? (
            <ClippedLine>
              {hasUsername && <Clipped>{`@${username}`}</Clipped>}
              {about !== '' && (
                <>
                  {hasUsername && <span className={styles.about}> · </span>}
                  <Clipped className={styles.about}>{about}</Clipped>
                </>
              )}
            </ClippedLine>
          ) : undefined
        }
        end={
          end === undefined &&
          canWrite && (
            <span className={styles.message} data-testid={`message-${id}`}>
              <CommentIcon />
            </span>
          )
        }
      />
      {end && <div className={styles.end}>{end}</div>}
    </>
  );
});

interface TagProps {
  id: string;
  isOwn: boolean;
  isBlocked: boolean;
  isAmongFriends: boolean;
}

function Tag({ id, isOwn, isBlocked, isAmongFriends }: TagProps) {
  const { people: texts, shell } = useTexts();
  const friend = useFriendState(id);
  if (isOwn) return <span className={styles.tag}>{shell.you}</span>;
  if (isBlocked)
    return (
      <span className={styles.tag} data-kind="blocked">
        {texts.blocked}
      </span>
    );
  switch (friend) {
    case 'friends':
      return isAmongFriends ? null : <span className={styles.tag}>{texts.friend}</span>;
    case 'asked':
      return (
        <span className={styles.tag} data-kind="asked">
          {texts.askedYou}
        </span>
      );
    case 'requested':
      return <span className={styles.tag}>{texts.asked}</span>;
    case 'none':
      return null;
  }
}
