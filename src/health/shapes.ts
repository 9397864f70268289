import * as accounts from '../accounts/schemas.ts';
import * as chat from '../chat/schemas.ts';
import { DirectoryEntry, DirectoryQuery } from '../directory/schemas.ts';
import { LOG_EVENTS } from '../events/log-events.ts';
import { PresenceState } from '../presence/schemas.ts';
import { ProfileBody, PublicProfile } from '../profiles/schemas.ts';
import * as push from '../push/schemas.ts';
import {
  BlockBody,
  BlockedPage,
  BlockedUser,
  FriendAnswer,
  FriendBody,
  FriendEntry,
  FriendPage,
} from '../relations/schemas.ts';
import { Settings, SettingsBody } from '../settings/schemas.ts';
import { Hello, Welcome } from '../sockets/frames-in.ts';
import { NextPages, Snapshot } from '../sync/snapshot.ts';
import * as users from '../users/schemas.ts';

/** What travels, by the name that clients know it by: in the kit, in `/openapi.json` and in `docs/asyncapi.yaml`. */
export const SHAPES = {
  RegisterBody: accounts.RegisterBody,
  LoginBody: accounts.LoginBody,
  ChangePasswordBody: accounts.ChangePasswordBody,
  PasswordLinkBody: accounts.PasswordLinkBody,
  EndSessionBody: accounts.EndSessionBody,
  ServiceOptions: accounts.ServiceOptions,
  Registered: accounts.Registered,
  OwnUser: users.OwnUser,
  LoggedIn: accounts.LoggedIn,
  FreshToken: accounts.FreshToken,
  SessionEntry: accounts.SessionEntry,
  DirectoryQuery,
  DirectoryEntry,
  ProfileBody,
  PublicProfile,
  SettingsBody,
  Settings,
  BlockBody,
  BlockedUser,
  BlockedPage,
  SendBody: chat.SendBody,
  Stored: chat.Stored,
  HistoryFields: chat.HistoryFields,
  Message: chat.Message,
  HistoryPage: chat.HistoryPage,
  MarkBody: chat.MarkBody,
  MarkedAnswer: chat.MarkedAnswer,
  Conversation: chat.Conversation,
  PersonName: chat.PersonName,
  ConversationPage: chat.ConversationPage,
  FriendBody,
  FriendEntry,
  FriendPage,
  FriendAnswer,
  PresenceState,
  SubscriptionKeys: push.SubscriptionKeys,
  Subscription: push.Subscription,
  SubscribeBody: push.SubscribeBody,
  TestSendQuery: push.TestSendQuery,
  ReceiptBody: push.ReceiptBody,
  PushLogEntry: push.PushLogEntry,
  PushDevice: push.PushDevice,
  UnsubscribeBody: push.UnsubscribeBody,
  Hello,
  Welcome,
  OwnSettings: LOG_EVENTS.settings,
  NextPages,
  Snapshot,
};
