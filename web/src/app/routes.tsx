import { lazy, Suspense } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { usePathname } from 'wouter/use-browser-location';
import {
  type Filter,
  isFilter,
  parsePeopleQuery,
  peoplePath,
} from '../features/contacts/model/people-address.ts';
import { isPagePath, type Section } from '../paths.ts';
import { useIsNarrow } from '../ui/controls/pointer.ts';
import { Waiting } from '../ui/list/waiting.tsx';
import { NotFound } from '../ui/page/not-found.tsx';
import { NoChatOpen, NoPersonOpen } from './nothing-chosen.tsx';

// Nothing is preloaded: the service worker caches all files anyway.
const ConversationList = lazy(async () => ({
  default: (await import('../features/chat/conversations/conversation-list.tsx')).ConversationList,
}));
const PushInvitation = lazy(async () => ({
  default: (await import('../features/notifications/push-invitation.tsx')).PushInvitation,
}));
const ChatPage = lazy(async () => ({
  default: (await import('../features/chat/thread/chat-page.tsx')).ChatPage,
}));
const PeopleList = lazy(async () => ({
  default: (await import('../features/contacts/directory/people-list.tsx')).PeopleList,
}));
const PersonPage = lazy(async () => ({
  default: (await import('../features/contacts/person/person-page.tsx')).PersonPage,
}));
const SettingsMenu = lazy(async () => ({
  default: (await import('./settings-menu.tsx')).SettingsMenu,
}));
const ProfilePage = lazy(async () => ({
  default: (await import('../features/account/profile-page.tsx')).ProfilePage,
}));
const NotificationsPage = lazy(async () => ({
  default: (await import('../features/notifications/notifications-page.tsx')).NotificationsPage,
}));
const LogPage = lazy(async () => ({
  default: (await import('../features/notifications/log-page.tsx')).LogPage,
}));
const SecurityPage = lazy(async () => ({
  default: (await import('../features/account/security-page.tsx')).SecurityPage,
}));
const BlockedPage = lazy(async () => ({
  default: (await import('../features/contacts/person/blocked-page.tsx')).BlockedPage,
}));

/** The list of a section; it stays mounted while its rows are opened. */
export function ListRoutes({ section }: { section: Section }) {
  return (
    <Suspense fallback={<Waiting />}>
      {section === 'chats' && <ConversationList end={<Invitation />} />}
      {section === 'people' && <PeopleList />}
      {section === 'settings' && <SettingsMenu />}
    </Suspense>
  );
}

function Invitation() {
  return (
    <Suspense fallback={null}>
      <PushInvitation />
    </Suspense>
  );
}

/** What the address names. Each conversation and each profile has a component of its own. */
export function PageRoutes() {
  if (!isPagePath(usePathname())) return <NotFound />;
  return (
    <Suspense fallback={<Waiting />}>
      <Switch>
        <Route path="/">
          <NoChatOpen />
        </Route>
        <Route path="/chat/:id">{({ id }) => <ChatPage key={id} peer={id} />}</Route>
        <Route path="/people">
          <NoPersonOpen />
        </Route>
        <Route path="/people/:id">
          {({ id }) => (isFilter(id) ? <ToFilter show={id} /> : <PersonPage key={id} userId={id} />)}
        </Route>
        <Route path="/settings">
          <FirstSetting />
        </Route>
        <Route path="/settings/profile" component={ProfilePage} />
        <Route path="/settings/notifications" component={NotificationsPage} />
        <Route path="/settings/log" component={LogPage} />
        <Route path="/settings/security" component={SecurityPage} />
        <Route path="/settings/blocked" component={BlockedPage} />
      </Switch>
    </Suspense>
  );
}

/** Beside the list of settings; narrow screens show the list alone. */
function FirstSetting() {
  return useIsNarrow() ? null : <ProfilePage />;
}

/** `/people/requests` means `/people?show=requests`: an id has 36 characters. */
function ToFilter({ show }: { show: Filter }) {
  const { q } = parsePeopleQuery(location.search);
  return <Redirect to={peoplePath({ show, q })} replace />;
}
