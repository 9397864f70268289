import { type ReactNode, Suspense, useEffect, useState } from 'react';
import { Route, Switch, useLocation, useRoute } from 'wouter';
import { usePathname, useSearch } from 'wouter/use-browser-location';
import { useIsArchived, useIsRequest } from '../features/chat/model/hooks.ts';
import { useProfileBack } from '../features/contacts/person/use-profile-back.ts';
import { loadMoreTexts } from '../i18n/languages.ts';
import { useTexts } from '../i18n/texts.tsx';
import {
  ARCHIVED_PATH,
  isPagePath,
  NEW_MESSAGE_PATH,
  parsePath,
  REQUESTS_PATH,
  SECTION_PATHS,
  type Section,
} from '../paths.ts';
import { useIsNarrow } from '../ui/controls/pointer.ts';
import { ListShell } from '../ui/list/list-shell.tsx';
import { Waiting } from '../ui/list/waiting.tsx';
import { type LazyView, lazyView } from '../ui/page/lazy-view.tsx';
import { PageShell } from '../ui/page/page-shell.tsx';
import { settingsView } from './settings-view.ts';
import { shortcutDialog } from './shortcuts/shortcut-dialog.ts';

const ConversationList = lazyView(
  () => import('../features/chat/conversations/conversation-list.tsx'),
  'ConversationList',
);
/** Without a connection its files may be missing: the list goes on without it. */
const PushInvitation = lazyView(async () => {
  try {
    return (
      await Promise.all([import('../features/notifications/push-invitation.tsx'), loadMoreTexts('settings')])
    )[0];
  } catch {
    return { PushInvitation: () => null };
  }
}, 'PushInvitation');
const NoChatOpen = lazyView(() => import('./nothing-chosen.tsx'), 'NoChatOpen');
const NoPersonOpen = lazyView(
  () => import('../features/contacts/directory/no-person-open.tsx'),
  'NoPersonOpen',
);
const NotFound = lazyView(() => import('../ui/page/not-found.tsx'), 'NotFound');
const ArchivedList = lazyView(
  () => import('../features/chat/conversations/archived-list.tsx'),
  'ArchivedList',
);
const RequestList = lazyView(() => import('../features/chat/conversations/request-list.tsx'), 'RequestList');
const NoRequestOpen = lazyView(
  () => import('../features/chat/requests/no-request-open.tsx'),
  'NoRequestOpen',
);
const ChatPage = lazyView(() => import('../features/chat/thread/chat-page.tsx'), 'ChatPage');
const ChatSearchPage = lazyView(
  () => import('../features/chat/search/chat-search-page.tsx'),
  'ChatSearchPage',
);
const PeopleList = lazyView(() => import('../features/contacts/directory/people-list.tsx'), 'PeopleList');
const PersonPage = lazyView(() => import('../features/contacts/person/person-page.tsx'), 'PersonPage');
const SettingsMenu = settingsView(() => import('./settings-menu.tsx'), 'SettingsMenu');
const ProfilePage = settingsView(() => import('../features/account/profile-page.tsx'), 'ProfilePage');
const NotificationsPage = settingsView(
  () => import('../features/notifications/notifications-page.tsx'),
  'NotificationsPage',
);
const LogPage = settingsView(() => import('../features/notifications/log-page.tsx'), 'LogPage');
const PrivacyPage = settingsView(() => import('../features/account/privacy/privacy-page.tsx'), 'PrivacyPage');
const SecurityPage = settingsView(() => import('../features/account/security-page.tsx'), 'SecurityPage');
const AccountLogPage = settingsView(
  () => import('../features/account/log/account-log-page.tsx'),
  'AccountLogPage',
);
const BlockedPage = settingsView(() => import('../features/contacts/person/blocked-page.tsx'), 'BlockedPage');

const SETTINGS = [
  ['profile', ProfilePage],
  ['notifications', NotificationsPage],
  ['log', LogPage],
  ['privacy', PrivacyPage],
  ['security', SecurityPage],
  ['account-log', AccountLogPage],
  ['blocked', BlockedPage],
] as const;

interface TitledProps {
  name: (typeof SETTINGS)[number][0];
  back?: string;
  children: ReactNode;
}

const LISTS: Record<Section, LazyView<never>> = {
  chats: ConversationList,
  people: PeopleList,
  settings: SettingsMenu,
};

/** In place of the list of conversations. */
const LISTS_AT: Record<string, LazyView<object>> = {
  [REQUESTS_PATH]: RequestList,
  [ARCHIVED_PATH]: ArchivedList,
};

/**
 * Loads the files of what a path shows: `front` is the list or conversation that it names, `all` has what is beside it too. A
 * page of the settings and a profile have their title and grey rows meanwhile.
 */
export function loadViews(path: string): { front: Promise<unknown>; all: Promise<unknown> } {
  const { section, isDeep, isChat } = parsePath(path);
  const list = (LISTS_AT[path] ?? LISTS[section]).load();
  const deep = isChat ? ChatPage : section === 'people' ? PersonPage : undefined;
  const beside = { chats: NoChatOpen, people: NoPersonOpen, settings: undefined }[section];
  const page = (isDeep ? deep : beside)?.load();
  const front = isChat ? page : isDeep ? undefined : list;
  return { front: Promise.resolve(front), all: Promise.all([page, list]) };
}

/** The list of a section; it stays mounted while its rows are opened. */
export function ListRoutes({ section }: { section: Section }) {
  const texts = useTexts().shell;
  return (
    <Suspense fallback={<ListShell title={texts[section]} />}>
      {section === 'chats' && <Chats />}
      {section === 'people' && <PeopleList />}
      {section === 'settings' && <SettingsMenu />}
    </Suspense>
  );
}

/** The conversations; beside a message request or an archived one, and at their own addresses, those. */
function Chats() {
  const [path] = useLocation();
  const [, params] = useRoute('/chat/:id');
  const isRequest = useIsRequest(params?.id);
  const isArchived = useIsArchived(params?.id);
  if (isRequest || path === REQUESTS_PATH) return <RequestList />;
  if (isArchived || path === ARCHIVED_PATH) return <ArchivedList />;
  return <ConversationList end={<Invitation />} onWrite={openNewMessage} />;
}

const openNewMessage = () => shortcutDialog.set({ shared: '' });

function Invitation() {
  return (
    <Suspense fallback={null}>
      <PushInvitation />
    </Suspense>
  );
}

/**
 * What the address names. Each conversation and each profile has a component of its own.
 *
 * @param props.isFirst the page was loaded at this address
 */
export function PageRoutes({ isFirst }: { isFirst: boolean }) {
  const isKnown = isPagePath(usePathname());
  // Read with the first view, as the user may have moved it when the file of a page is there.
  const [focusAtFirst] = useState(() => document.activeElement);
  return (
    <Suspense fallback={<Waiting />}>
      {isKnown ? (
        <Switch>
          <Route path="/">
            <NoChatOpen isFirst={isFirst} focusAtFirst={focusAtFirst} />
          </Route>
          <Route path={NEW_MESSAGE_PATH}>
            <NewMessage />
          </Route>
          <Route path={REQUESTS_PATH}>
            <NoRequestOpen />
          </Route>
          <Route path={ARCHIVED_PATH}>
            <NoChatOpen isFirst={false} />
          </Route>
          <Route path="/chat/:id">{({ id }) => <Chat key={id} peer={id} />}</Route>
          <Route path="/people">
            <NoPersonOpen />
          </Route>
          <Route path="/people/:id">{({ id }) => <Profile key={id} userId={id} />}</Route>
          <Route path="/settings">
            <FirstSetting />
          </Route>
          {SETTINGS.map(([name, Page]) => (
            <Route key={name} path={`/settings/${name}`}>
              <Titled name={name}>
                <Page />
              </Titled>
            </Route>
          ))}
        </Switch>
      ) : (
        <NotFound />
      )}
    </Suspense>
  );
}

/** A conversation, or the search in it. */
function Chat({ peer }: { peer: string }) {
  const isRequest = useIsRequest(peer);
  return useSearch().startsWith('?q=') && !isRequest ? (
    <ChatSearchPage peer={peer} />
  ) : (
    <ChatPage peer={peer} />
  );
}

/** Opens the dialog for a new message over the chats, with the text that another app has shared. */
function NewMessage() {
  const [, navigate] = useLocation();
  useEffect(() => {
    shortcutDialog.set({ shared: location.search });
    navigate(SECTION_PATHS.chats, { replace: true });
  }, [navigate]);
  return <NoChatOpen isFirst={false} />;
}

/** A page of the settings or a profile; while its file is loaded, its title and grey rows. */
function Titled({ name, back = '/settings', children }: TitledProps) {
  const texts = useTexts().shell;
  return <Suspense fallback={<PageShell title={texts.titles[name]} back={back} />}>{children}</Suspense>;
}

function Profile({ userId }: { userId: string }) {
  return (
    <Titled name="profile" back={useProfileBack(userId)}>
      <PersonPage userId={userId} />
    </Titled>
  );
}

/** Beside the list of settings; narrow screens show the list alone. */
function FirstSetting() {
  if (useIsNarrow()) return null;
  return (
    <Titled name="profile">
      <ProfilePage />
    </Titled>
  );
}
