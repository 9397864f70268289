import * as address from '../accounts/address/schemas.ts';
import { AccountLogEntry, AccountLogPage, AccountLogQuery } from '../accounts/log/schemas.ts';
import { EndByLinkBody, ForgotPasswordBody } from '../accounts/recovery/schemas.ts';
import * as accounts from '../accounts/schemas.ts';
import * as admin from '../admin/schemas.ts';
import * as chat from '../chat/schemas.ts';
import { FoundMessage, SearchFields, SearchPage } from '../chat/search/schemas.ts';
import { DirectoryEntry, DirectoryQuery } from '../directory/schemas.ts';
import { LOG_EVENTS, MESSAGE_CHANGES, Picture, Quiet, QuietWindow } from '../events/log-events.ts';
import { ExportTicket } from '../leaving/export/schemas.ts';
import { DeletionAsked, KeepBody } from '../leaving/schemas.ts';
import { PresenceState } from '../presence/schemas.ts';
import { ProfileBody, PublicProfile } from '../profiles/schemas.ts';
import { QuietBody } from '../push/quiet/schemas.ts';
import * as push from '../push/schemas.ts';
import * as relations from '../relations/schemas.ts';
import { FiledReport, ReportBody } from '../reports/schemas.ts';
import { Settings, SettingsBody } from '../settings/schemas.ts';
import { Hello, Welcome } from '../sockets/frames-in.ts';
import { NextPages, Snapshot } from '../sync/snapshot.ts';
import { Privacy, PrivacyBody } from '../users/privacy.ts';
import * as users from '../users/schemas.ts';

/** What travels, by the name that clients know it by: in the kit, in `/openapi.json` and in `/asyncapi.yaml`. */
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
  AccountSuspended: accounts.AccountSuspended,
  LoginRefused: accounts.LoginRefused,
  ConfirmBody: address.ConfirmBody,
  Confirmed: address.Confirmed,
  Account: address.Account,
  SetEmailBody: address.SetEmailBody,
  VerifyEmailBody: address.VerifyEmailBody,
  VerifiedEmail: address.VerifiedEmail,
  ForgotPasswordBody,
  EndByLinkBody,
  DeletionAsked,
  KeepBody,
  ExportTicket,
  AccountLogQuery,
  AccountLogEntry,
  AccountLogPage,
  DirectoryQuery,
  DirectoryEntry,
  ProfileBody,
  PublicProfile,
  SettingsBody,
  Settings,
  PrivacyBody,
  Privacy,
  BlockBody: relations.BlockBody,
  BlockedUser: relations.BlockedUser,
  BlockedPage: relations.BlockedPage,
  SendBody: chat.SendBody,
  Stored: chat.Stored,
  HistoryFields: chat.HistoryFields,
  Reactions: MESSAGE_CHANGES.reactions,
  Picture,
  Message: chat.Message,
  HistoryPage: chat.HistoryPage,
  SearchFields,
  FoundMessage,
  SearchPage,
  UnsendBody: chat.UnsendBody,
  UnsentAnswer: chat.UnsentAnswer,
  EditBody: chat.EditBody,
  EditedAnswer: chat.EditedAnswer,
  ReactBody: chat.ReactBody,
  ReactedAnswer: chat.ReactedAnswer,
  MarkBody: chat.MarkBody,
  MarkedAnswer: chat.MarkedAnswer,
  Conversation: chat.Conversation,
  ConversationBody: chat.ConversationBody,
  ClearBody: chat.ClearBody,
  KeptConversation: chat.KeptConversation,
  PersonName: chat.PersonName,
  ConversationPage: chat.ConversationPage,
  MessageRequestBody: relations.MessageRequestBody,
  MessageRequestAnswer: relations.MessageRequestAnswer,
  FriendBody: relations.FriendBody,
  FriendEntry: relations.FriendEntry,
  FriendPage: relations.FriendPage,
  FriendAnswer: relations.FriendAnswer,
  ReportBody,
  FiledReport,
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
  QuietWindow,
  Quiet,
  QuietBody,
  NextPages,
  Snapshot,
  PutUserBody: admin.PutUserBody,
  AdminUser: admin.AdminUser,
  PutUserAnswer: admin.PutUserAnswer,
  UserPresence: admin.UserPresence,
  SignInBody: admin.SignInBody,
  SignInRefused: admin.SignInRefused,
  SignedIn: admin.SignedIn,
  EndSessionsBody: admin.EndSessionsBody,
  EndedSessions: admin.EndedSessions,
  SetFriendsBody: admin.SetFriendsBody,
  SetFriendsAnswer: admin.SetFriendsAnswer,
  BlockOfBody: admin.BlockOfBody,
  KeyMessage: admin.KeyMessage,
  SendMessagesBody: admin.SendMessagesBody,
  SentMessage: admin.SentMessage,
};
