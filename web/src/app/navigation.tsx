import { CommentDiscussionIcon, GearIcon, PeopleIcon } from '@primer/octicons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useSession } from '../data/hooks.ts';
import { useOwnAccount } from '../features/account/model/hooks.ts';
import { useUnreadTotal } from '../features/chat/model/hooks.ts';
import { usePeopleHref } from '../features/contacts/directory/use-people-href.ts';
import { displayName } from '../features/contacts/model/display-name.ts';
import { useFriends } from '../features/contacts/model/hooks.ts';
import { useTexts } from '../i18n/texts.tsx';
import { type PathInfo, SECTION_PATHS, type Section } from '../paths.ts';
import { VisuallyHidden } from '../ui/controls/visually-hidden.tsx';
import { CountBadge } from '../ui/list/list-row.tsx';
import { BrandMark } from '../ui/page/brand-mark.tsx';
import { PersonAvatar } from '../ui/person/person-avatar.tsx';
import styles from './navigation.module.css';

/** A rail at the side; on narrow screens a bar at the bottom. */
export function Navigation({ current }: { current: PathInfo }) {
  const texts = useTexts().shell;
  const unread = useUnreadTotal();
  const asked = useFriends().asked.length;
  const people = usePeopleHref(current);
  return (
    <nav className={styles.rail} aria-label={texts.navigation}>
      <span className={styles.brand}>
        <BrandMark size={36} />
      </span>
      <ul className={styles.items}>
        <Item section="chats" current={current} icon={<CommentDiscussionIcon />} label={texts.chats}>
          <CountBadge count={unread} label={texts.unread(unread)} />
        </Item>
        <Item section="people" href={people} current={current} icon={<PeopleIcon />} label={texts.people}>
          <CountBadge count={asked} label={texts.requests(asked)} />
        </Item>
        <Item section="settings" current={current} icon={<GearIcon />} label={texts.settings} />
      </ul>
      <OwnPerson />
    </nav>
  );
}

interface ItemProps {
  section: Section;
  href?: string;
  current: PathInfo;
  icon: ReactNode;
  label: string;
  children?: ReactNode;
}

function Item({ section, href = SECTION_PATHS[section], current, icon, label, children }: ItemProps) {
  const isHere = current.section === section;
  return (
    <li>
      <Link
        href={href}
        className={styles.item}
        aria-current={isHere ? (current.isDeep ? 'true' : 'page') : undefined}
        data-testid={`nav-${section}`}
      >
        <span className={styles.icon}>
          {icon}
          {children !== undefined && <span className={styles.count}>{children}</span>}
        </span>
        <span className={styles.label}>{label}</span>
      </Link>
    </li>
  );
}

function OwnPerson() {
  const texts = useTexts().shell;
  const session = useSession();
  const { profile } = useOwnAccount();
  if (session.state !== 'signed_in') return null;
  const { userId, username } = session.session;
  const name = displayName({ username, ...profile });
  return (
    <Link href="/settings/profile" className={styles.own} title={name} data-testid="own-profile">
      <PersonAvatar person={{ id: userId, name, avatar: profile?.avatar ?? '' }} size={36} />
      <VisuallyHidden>
        {name} {texts.ownProfile}
      </VisuallyHidden>
    </Link>
  );
}
