import {
  BellIcon,
  BlockedIcon,
  ChevronRightIcon,
  CommandPaletteIcon,
  EyeIcon,
  HistoryIcon,
  LogIcon,
  ShieldLockIcon,
  SignOutIcon,
} from '@primer/octicons-react';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useFreshness, useSession } from '../data/hooks.ts';
import { useOwnAccount } from '../features/account/model/hooks.ts';
import { useHasProfileEdits } from '../features/account/use-profile-edits.ts';
import { isUsername } from '../features/contacts/list/name-filter.ts';
import { displayName } from '../features/contacts/model/display-name.ts';
import { useBlocked } from '../features/contacts/model/hooks.ts';
import { pushSummary } from '../features/notifications/push-summary.ts';
import { useThisDevicePush } from '../features/notifications/this-device-push.ts';
import { useTexts } from '../i18n/texts.tsx';
import { Button } from '../ui/controls/button.tsx';
import { useIsNarrow } from '../ui/controls/pointer.ts';
import { ListRow } from '../ui/list/list-row.tsx';
import { ColorSchemeChoice, LanguageChoice } from '../ui/page/appearance.tsx';
import { PageHeader } from '../ui/page/page-header.tsx';
import { Clipped, ClippedLine, Name } from '../ui/person/name.tsx';
import { PersonAvatar } from '../ui/person/person-avatar.tsx';
import styles from './settings-menu.module.css';
import { shortcutDialog } from './shortcuts/shortcut-dialog.ts';
import { useShortcutTexts } from './shortcuts/texts.ts';
import { useSignOut } from './sign-out.tsx';

/** The list of the settings' pages, with the state of each. */
export function SettingsMenu() {
  const { settings: texts, shell } = useTexts();
  const signOut = useSignOut();
  const { settings } = useOwnAccount();
  const { view } = useThisDevicePush();
  const isKnown = useFreshness() !== 'none';
  const blocked = useBlocked().length;
  const push = pushSummary(view, settings);
  return (
    <>
      <PageHeader title={shell.settings} />
      <div className={styles.scroll}>
        <OwnCard />
        <ul>
          <Entry
            name="notifications"
            icon={<BellIcon />}
            title={shell.titles.notifications}
            says={push && texts.states[push]}
          />
          <Entry name="log" icon={<HistoryIcon />} title={shell.titles.log} says={texts.logSays} />
          <Entry name="privacy" icon={<EyeIcon />} title={shell.titles.privacy} says={texts.privacySays} />
          <Entry
            name="security"
            icon={<ShieldLockIcon />}
            title={shell.titles.security}
            says={texts.securitySays}
          />
          <Entry
            name="account-log"
            icon={<LogIcon />}
            title={shell.titles['account-log']}
            says={texts.accountLogSays}
          />
          <Entry
            name="blocked"
            icon={<BlockedIcon />}
            title={shell.titles.blocked}
            says={isKnown ? texts.blockedCount(blocked) : undefined}
          />
        </ul>
        <div className={styles.choices}>
          <LanguageChoice />
          <ColorSchemeChoice />
          <div className={styles.buttons}>
            <SignOutButton onClick={signOut} />
            <ShortcutsButton />
          </div>
        </div>
      </div>
    </>
  );
}

/** The signed-in user; links to the profile as others see it. */
function OwnCard() {
  const texts = useTexts().settings;
  const session = useSession();
  const { profile } = useOwnAccount();
  const [path] = useLocation();
  const hasEdits = useHasProfileEdits();
  const isFirst = !useIsNarrow() && path === '/settings';
  if (session.state !== 'signed_in') return null;
  const { userId, username } = session.session;
  const name = displayName({ username, ...profile });
  const hasUsername = !isUsername({ name, username });
  return (
    <div className={styles.own}>
      <ListRow
        href="/settings/profile"
        start={<PersonAvatar person={{ id: userId, name, avatar: profile?.avatar ?? '' }} size={56} />}
        title={<Name>{name}</Name>}
        aside={<Chevron />}
        below={
          <ClippedLine>
            {hasUsername && <Clipped>{`@${username}`}</Clipped>}
            {hasUsername && hasEdits && ' · '}
            {hasEdits && <span className={styles.unsaved}>{texts.unsaved}</span>}
          </ClippedLine>
        }
        isSelected={isFirst || path === '/settings/profile'}
        testId="settings-profile"
      />
    </div>
  );
}

interface EntryProps {
  name: 'notifications' | 'log' | 'privacy' | 'security' | 'account-log' | 'blocked';
  icon: ReactNode;
  title: string;
  says: string | undefined;
}

function Entry({ name, icon, title, says }: EntryProps) {
  const [path] = useLocation();
  const href = `/settings/${name}`;
  return (
    <li>
      <ListRow
        href={href}
        start={<span className={styles.icon}>{icon}</span>}
        title={title}
        below={<span className={styles.says}>{says ?? '\u00a0'}</span>}
        isSelected={path === href}
        testId={`settings-${name}`}
      />
    </li>
  );
}

function Chevron() {
  return <ChevronRightIcon />;
}

function SignOutButton({ onClick }: { onClick: () => void }) {
  const texts = useTexts().shell;
  return (
    <Button variant="default" leftSection={<SignOutIcon />} onClick={onClick} data-testid="settings-sign-out">
      <span data-testid="sign-out">{texts.signOut}</span>
    </Button>
  );
}

function ShortcutsButton() {
  const texts = useShortcutTexts();
  return (
    <Button
      className={styles.shortcuts}
      variant="default"
      leftSection={<CommandPaletteIcon />}
      onClick={() => shortcutDialog.set('help')}
      data-testid="open-shortcuts"
    >
      {texts.title}
    </Button>
  );
}
