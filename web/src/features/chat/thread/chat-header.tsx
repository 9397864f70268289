import { Link } from 'wouter';
import { useTexts } from '../../../i18n/texts.tsx';
import { ARCHIVED_PATH, profilePath, REQUESTS_PATH, SECTION_PATHS } from '../../../paths.ts';
import { PageHeader } from '../../../ui/page/page-header.tsx';
import { PersonName } from '../../../ui/person/name.tsx';
import { PersonAvatar } from '../../../ui/person/person-avatar.tsx';
import { useTimes } from '../../../ui/person/time-text.tsx';
import { useIsBlocked, usePresence, usePresences } from '../../contacts/model/hooks.ts';
import type { PersonView } from '../../contacts/model/views.ts';
import { useNameInText } from '../../contacts/person/name-in-text.tsx';
import { useLastSeen } from '../../contacts/person/presence-text.tsx';
import { useIsArchived, useTyping } from '../model/hooks.ts';
import { ChatMenuButton } from './chat-menu-button.tsx';
import styles from './chat-page.module.css';

/** The peer of the conversation: name, presence, actions. */
export function ChatHeader({ person, isRequest }: { person: PersonView; isRequest: boolean }) {
  usePresences([person.id]);
  const name = useNameInText(person);
  const { state } = usePresence(person.id);
  const isGone = person.state === 'gone';
  const profile = profilePath(person.id);
  const list = useIsArchived(person.id) ? ARCHIVED_PATH : SECTION_PATHS.chats;
  return (
    <div className={styles.header}>
      <PageHeader
        back={isRequest ? REQUESTS_PATH : list}
        column="messages"
        titleText={name}
        title={
          <Link href={profile} className={styles.name} data-testid="chat-name">
            <PersonName person={person} />
          </Link>
        }
        start={
          // The name beside it is the same link, and screen readers can read it.
          <Link href={profile} className={styles.picture} tabIndex={-1} aria-hidden="true">
            <PersonAvatar person={person} size={40} presence={state} />
          </Link>
        }
        below={<Presence userId={person.id} isGone={isGone} />}
        actions={isGone ? undefined : <ChatMenuButton person={person} isRequest={isRequest} />}
      />
    </div>
  );
}

/** Presence or typing. Screen readers announce a change, but not the time since the user was last seen. */
function Presence({ userId, isGone }: { userId: string; isGone: boolean }) {
  const texts = useTexts();
  const isTyping = useTyping(userId);
  const isBlocked = useIsBlocked(userId);
  const { state, lastSeen } = usePresence(userId);
  const isAway = !isTyping && state === 'offline';
  const text = () => {
    // The place of the composer says so.
    if (isGone || isBlocked) return '';
    if (isTyping) return texts.chat.typing;
    switch (state) {
      case 'online':
        return texts.shell.online;
      case 'idle':
        return texts.shell.idle;
      case 'offline':
        return <LastSeen at={lastSeen} />;
      case 'unknown':
        return '\u00a0';
    }
  };
  return (
    <span
      className={styles.presence}
      aria-live={isAway ? 'off' : 'polite'}
      data-typing={isTyping || undefined}
      data-testid="presence"
    >
      {text()}
    </span>
  );
}

function LastSeen({ at }: { at: number }) {
  const times = useTimes();
  const text = useLastSeen(at);
  if (at === 0) return text;
  return (
    <time dateTime={new Date(at).toISOString()} title={times.full(at)}>
      {text}
    </time>
  );
}
