import { BlockedIcon, LinkIcon, PersonIcon, ReportIcon } from '@primer/octicons-react';
import { type ReactNode, useState } from 'react';
import { useIsOffline } from '../../../data/hooks.ts';
import { useTexts } from '../../../i18n/texts.tsx';
import { profilePath } from '../../../paths.ts';
import { useKeepFocus } from '../../../ui/list/use-keep-focus.ts';
import { useFriendState, useIsBlocked } from '../model/hooks.ts';
import styles from './person-actions.module.css';
import { PersonDialog, type PersonQuestion } from './person-dialog.tsx';
import type { ShownPerson } from './person-hero.tsx';
import { useCopyLink } from './use-copy-link.tsx';

/** The rare actions of a profile. A blocked user has none: the notice above offers to unblock them. */
export function PersonActions({ person, isOwn }: { person: ShownPerson; isOwn: boolean }) {
  const texts = useTexts().people;
  const isBlocked = useIsBlocked(person.id);
  const isOffline = useIsOffline();
  const isFriend = useFriendState(person.id) === 'friends';
  const [asking, setAsking] = useState<PersonQuestion>();
  useKeepFocus(asking);
  const link = new URL(profilePath(person.id), location.origin).href;
  const { copy, dialog } = useCopyLink(link, texts.copyAsk);

  return (
    <>
      {!isBlocked && (
        <ul className={styles.actions}>
          <Action icon={<LinkIcon />} onClick={() => void copy()} testId="copy-link">
            {texts.copyLink}
          </Action>
          {!isOwn && isFriend && (
            <Action
              icon={<PersonIcon />}
              isInactive={isOffline}
              onClick={() => setAsking('remove')}
              testId="friend-remove"
            >
              {texts.remove}
            </Action>
          )}
          {!isOwn && (
            <Action
              icon={<BlockedIcon />}
              isInactive={isOffline}
              onClick={() => setAsking('block')}
              testId="block"
              isDangerous
            >
              {texts.blockPerson}
            </Action>
          )}
          {!isOwn && (
            <Action
              icon={<ReportIcon />}
              isInactive={isOffline}
              onClick={() => setAsking('report')}
              testId="report"
              isDangerous
            >
              {texts.report}
            </Action>
          )}
        </ul>
      )}
      {dialog}
      <PersonDialog userId={person.id} question={asking} onClose={() => setAsking(undefined)} />
    </>
  );
}

interface ActionProps {
  icon: ReactNode;
  children: string;
  onClick: () => void;
  testId: string;
  isDangerous?: boolean;
  isInactive?: boolean;
}

function Action({ icon, children, onClick, testId, isDangerous, isInactive }: ActionProps) {
  return (
    <li>
      <button
        type="button"
        className={styles.action}
        data-dangerous={isDangerous}
        disabled={isInactive}
        onClick={onClick}
        data-testid={testId}
      >
        {icon}
        {children}
      </button>
    </li>
  );
}
