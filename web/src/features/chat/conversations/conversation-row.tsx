import { memo, type ReactNode } from 'react';
import { useTexts } from '../../../i18n/texts.tsx';
import { chatPath, profilePath } from '../../../paths.ts';
import { ListRow } from '../../../ui/list/list-row.tsx';
import { Clipped, ClippedLine, PersonName } from '../../../ui/person/name.tsx';
import { PersonAvatar } from '../../../ui/person/person-avatar.tsx';
import { TimeText } from '../../../ui/person/time-text.tsx';
import type { RowTabs } from '../../contacts/list/people-rows.tsx';
import { usePerson, usePresence } from '../../contacts/model/hooks.ts';
import { useDraft, useTyping } from '../model/hooks.ts';
import type { ConversationView } from '../model/views.ts';
import { excerpt, oneLine } from '../text/message-body.ts';
import { MessageStateIcon } from '../thread/message-state-icon.tsx';
import styles from './conversation-list.module.css';
import { RowMarks } from './row-marks.tsx';

interface ConversationRowProps extends RowTabs {
  conversation: ConversationView;
  isActive: boolean;
}

/** One conversation: its user, the last message, how it is kept, and how many are unread. */
export const ConversationRow = memo(function ConversationRow({
  conversation,
  isActive,
  tabIndex,
  innerTabIndex,
}: ConversationRowProps) {
  const { people } = useTexts();
  const { peer, at } = conversation;
  const person = usePerson(peer);
  const { state: presence } = usePresence(peer);
  return (
    <ListRow
      href={chatPath(peer)}
      isSelected={isActive}
      tabIndex={tabIndex}
      start={<PersonAvatar person={person} size={44} presence={presence} />}
      picture={{
        href: profilePath(peer),
        label: people.profileOf(person.name),
        tabIndex: innerTabIndex,
        testId: `picture-${peer}`,
      }}
      title={<PersonName person={person} />}
      aside={<TimeText at={at} as="brief" />}
      below={<Preview conversation={conversation} isActive={isActive} />}
      belowAside={<RowMarks conversation={conversation} />}
      testId={`conversation-${peer}`}
    />
  );
});

/** The most urgent of: the peer types, the user has a draft, the last message. */
function Preview({
  conversation,
  isActive,
}: Pick<ConversationRowProps, 'conversation' | 'isActive'>): ReactNode {
  const texts = useTexts().chat;
  const { peer, last, lastState, pending, unread } = conversation;
  const isTyping = useTyping(peer);
  const [draft] = useDraft(peer);
  if (isTyping) return <span className={styles.typing}>{texts.typing}</span>;
  // The draft of the open conversation is in the composer.
  if (draft.trim() !== '' && !isActive)
    return <Line before={<span className={styles.draft}>{texts.draft}</span>} text={draft} />;
  if (!pending && last?.unsentAt !== undefined)
    return <Clipped>{lastState === 'theirs' ? texts.theyUnsent : texts.youUnsent}</Clipped>;
  const state = pending ? pending.state : lastState;
  const body = excerpt(pending ?? last ?? { body: '' }, texts.picture);
  if (state === undefined || state === 'theirs')
    return <Clipped className={unread > 0 ? styles.unread : undefined}>{body}</Clipped>;
  if (state === 'refused')
    return <Line before={<span className={styles.refused}>{texts.notSent}</span>} text={body} />;
  const before = (
    <span>
      <MessageStateIcon state={state} /> {texts.you}
    </span>
  );
  return <Line before={before} text={body} />;
}

function Line({ before, text }: { before: ReactNode; text: string }) {
  return (
    <ClippedLine>
      {before}
      <Clipped>{oneLine(text)}</Clipped>
    </ClippedLine>
  );
}
