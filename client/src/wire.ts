// Made by scripts/client-wire.ts from the schemas of the service: not to be edited.

export type Registration = 'open' | 'invite' | 'closed';

export type PasswordList = 'warn' | 'refuse' | 'off';

export type Gender = '' | 'male' | 'female' | 'secret';

export type Flag = 0 | 1;

export type AccountAct =
  | 'signed_up'
  | 'signed_in'
  | 'sign_in_failed'
  | 'signed_out'
  | 'session_ended'
  | 'sessions_ended'
  | 'password_changed'
  | 'password_reset'
  | 'link_made'
  | 'email_verified'
  | 'email_changed'
  | 'email_removed'
  | 'blocked'
  | 'unblocked'
  | 'suspended'
  | 'restored'
  | 'deletion_asked'
  | 'deletion_undone'
  | 'export_made'
  | 'mail';

export type PushPreview = 'full' | 'sender' | 'none';

export type WhoMessages = 'everyone' | 'requests' | 'friends';

export type WhoFriendRequests = 'everyone' | 'nobody';

export type WhoPresence = 'everyone' | 'friends' | 'nobody';

export type PictureType = 'image/jpeg' | 'image/png' | 'image/webp';

export type MessageRequestAct = 'accept' | 'decline';

export type MessageRequestState = 'accepted' | 'declined';

export type FriendEntryState = 'friends' | 'requested' | 'asked';

export type FriendState = 'none' | 'requested' | 'asked' | 'friends';

export type ReportReason = 'spam' | 'abuse' | 'impersonation' | 'other';

export type ReceiptEvent = 'shown' | 'clicked';

export type PushLogKind = 'message' | 'test';

export type PushLogOutcome =
  | 'accepted'
  | 'gone'
  | 'refused'
  | 'failed'
  | 'unusable'
  | 'waiting'
  | 'seen'
  | 'dnd'
  | 'off'
  | 'blocked'
  | 'request'
  | 'quiet'
  | 'muted'
  | 'unsent'
  | 'no_device'
  | 'account_closed'
  | 'already_notified'
  | 'unconfirmed';

export type AccountStatus = 'active' | 'suspended' | 'deleted';

export type ReportAct = 'dismiss' | 'suspend';

export type AccountNotice = 'new_sign_in';

export interface RegisterBody {
  username: string;
  password: string;
  /** Empty: the username */
  nickname?: string;
  /** A plausible address, or empty */
  email?: string;
  /** http(s) without credentials, relative to the root of the service, or empty */
  avatar?: string;
  /** The code of an invite; needed with `REGISTRATION=invite` alone */
  invite?: string;
}

export interface LoginBody {
  username: string;
  password: string;
}

export interface ChangePasswordBody {
  oldPassword: string;
  newPassword: string;
}

export interface PasswordLinkBody {
  /** What follows # in the link of a mail, or in that of `doorman user link` */
  token: string;
  newPassword: string;
}

export type EndSessionBody =
  | {
      id: string;
    }
  | {
      /** Ends all sessions but that of the token */
      others: true;
    };

export interface ServiceOptions {
  /** Whether `register` creates accounts: always, with the code of an `invite`, or never */
  registration: Registration;
  /** Whether a common password is something to warn of, is refused (`password_common`), or neither */
  passwordList: PasswordList;
  /** Whether the server sends mails; without, what needs one is refused (`mail_off`) */
  mail: boolean;
  /** For how many seconds the deletion of an account can be undone; 0: it is erased at once */
  deletionGrace: number;
  /** Whether messages may have pictures now; without, an upload is refused (`pictures_off`) */
  pictures: boolean;
}

export interface Registered {
  id: string;
  username: string;
  nickname: string;
  email: string;
  token: string;
}

export interface OwnUser {
  id: string;
  username: string;
  nickname: string;
  email: string;
  avatar: string;
  gender: Gender;
  bio: string;
  phone: string;
  push_enabled: Flag;
  dnd_enabled: Flag;
}

export interface LoggedIn {
  id: string;
  username: string;
  nickname: string;
  email: string;
  avatar: string;
  gender: Gender;
  bio: string;
  phone: string;
  push_enabled: Flag;
  dnd_enabled: Flag;
  token: string;
}

export interface FreshToken {
  token: string;
}

export interface SessionEntry {
  id: string;
  /** User-Agent of the client */
  device: string;
  /** Epoch milliseconds */
  create_time: number;
  /** Epoch milliseconds, exact to the hour */
  last_used: number;
  /** 1 for the session of this call */
  current: Flag;
  /** 1 while a socket of the session is open */
  active: Flag;
  /** The client's network address at the sign-in, the last token or the last use, as exact as last_used; empty if unknown */
  address: string;
}

export interface AccountSuspended {
  /** The HTTP status too */
  code: number;
  /** A stable word for programs */
  error: string;
  /** A sentence for people: Chinese, but English on the push endpoints, and where `Accept-Language` prefers another language */
  msg: string;
  /** What the operator gave as the reason; empty if nothing */
  reason: string;
  /** Epoch milliseconds: when the account is restored; 0: the operator gave no time */
  until: number;
}

export interface LoginRefused {
  /** The HTTP status too */
  code: number;
  /** A stable word for programs */
  error: string;
  /** A sentence for people: Chinese, but English on the push endpoints, and where `Accept-Language` prefers another language */
  msg: string;
  /** What the operator gave as the reason; empty if nothing */
  reason?: string;
  /** Epoch milliseconds: when the account is restored, or deleted; 0: the operator gave no time */
  until: number;
  /** Of `account_leaving`: `keepAccount` takes it once, within 5 minutes */
  ticket?: string;
}

export interface ConfirmBody {
  password: string;
}

export interface Confirmed {
  /** Epoch milliseconds: how long this session may change how the user signs in */
  until: number;
}

export interface Account {
  /** The verified address, which gets mail; empty if there is none */
  email: string;
  /** The address that waits for its code; empty if there is none */
  pending_email: string;
  /** Epoch milliseconds: until when the password counts as given in this session; 0 if it does not */
  confirmed_until: number;
}

export interface SetEmailBody {
  /** Where the code goes */
  email: string;
  /** Language of the mails to this address, a BCP 47 tag: Chinese for zh and its variants, else English; left out: that of Accept-Language */
  lang?: string;
}

export type VerifyEmailBody =
  | {
      /** The 8 digits of the mail; needs a session */
      code: string;
    }
  | {
      /** What follows # in the link of the mail; needs no session */
      token: string;
    };

export interface VerifiedEmail {
  email: string;
}

export interface ForgotPasswordBody {
  /** A username, or a verified address */
  account: string;
  /** Language of the mail, a BCP 47 tag: Chinese for zh and its variants, else English; left out: that of Accept-Language */
  lang?: string;
}

export interface EndByLinkBody {
  /** What follows # in the link of the mail about a new sign-in */
  token: string;
}

export interface DeletionAsked {
  /** Epoch milliseconds: until then the deletion can be undone */
  until: number;
}

export interface KeepBody {
  /** `ticket` of the 403 `account_leaving` of a login */
  ticket: string;
}

export interface ExportTicket {
  /** For one download */
  ticket: string;
  /** Epoch milliseconds */
  expires: number;
}

export interface AccountLogQuery {
  /** `next` of the page before */
  before?: string;
  /** 100 if left out */
  limit?: number;
}

export interface AccountLogEntry {
  id: string;
  /** Epoch milliseconds */
  at: number;
  what: AccountAct;
  /** Id of the session that did it, or that was opened or ended by it; empty if there is none */
  session: string;
  /** User-Agent of the client; empty if no client did it */
  device: string;
  /** The client's network address, after 30 days its network alone; empty if no client did it */
  address: string;
  /** Further facts of the act, by name */
  detail: Record<string, string | number>;
}

export interface AccountLogPage {
  items: AccountLogEntry[];
  /** Where the next page starts; absent on the last one */
  next?: string;
}

export interface DirectoryQuery {
  /** Words, in any order: each begins a word of the username, or each of the nickname */
  q?: string;
  /** 1: only users who are online */
  online?: Flag;
  limit?: number;
  after?: string;
}

export interface DirectoryEntry {
  id: string;
  username: string;
  avatar: string;
  nickname: string;
  gender: Gender;
  bio: string;
  isOnline: Flag;
}

export interface ProfileBody {
  /** Empty: the username */
  nickname?: string;
  /** http(s) without credentials, relative to the root of the service, or empty */
  avatar?: string;
  gender?: Gender;
  bio?: string;
  phone?: string;
  /** A plausible address, or empty */
  email?: string;
}

export interface PublicProfile {
  id: string;
  username: string;
  avatar: string;
  nickname: string;
  gender: Gender;
  bio: string;
  /** Partly masked */
  phone: string;
  isOnline: Flag;
}

export interface SettingsBody {
  pushEnabled?: boolean;
  dndEnabled?: boolean;
  pushPreview?: PushPreview;
}

export interface Settings {
  id: string;
  username: string;
  push_enabled: Flag;
  dnd_enabled: Flag;
}

export interface PrivacyBody {
  /** requests: the first message of a stranger waits until it is accepted */
  messages?: WhoMessages;
  friendRequests?: WhoFriendRequests;
  /** Who sees whether the user is online, and when they were last seen; they see the same of others */
  presence?: WhoPresence;
  readReceipts?: boolean;
  listed?: boolean;
}

export interface Privacy {
  /** requests: the first message of a stranger waits until it is accepted */
  messages: WhoMessages;
  friend_requests: WhoFriendRequests;
  /** Who sees whether the user is online, and when they were last seen; they see the same of others */
  presence: WhoPresence;
  read_receipts: boolean;
  listed: boolean;
}

export interface BlockBody {
  blockedId: string;
}

export interface BlockedUser {
  id: string;
  username: string;
  avatar: string;
  /** Epoch milliseconds */
  create_time: number;
}

export interface BlockedPage {
  items: BlockedUser[];
  /** Where the next page starts; absent on the last one */
  next?: string;
}

export interface SendBody {
  to: string;
  /** The sender's own name for the message, such as a UUID */
  cid: string;
  /** Empty only with a picture */
  body: string;
  /** Number of the message of this conversation that it answers */
  replyTo?: number;
  /** Id of a picture that the caller uploaded, and that is in no message */
  picture?: string;
}

export interface Stored {
  peer: string;
  /** The message's number in the conversation */
  n: number;
  /** Epoch milliseconds */
  at: number;
  /** Whether this cid was stored before */
  duplicate: boolean;
}

export interface HistoryFields {
  peer: string;
  before?: number;
  after?: number;
  limit?: number;
}

export type Reactions = Record<string, string>;

export interface Picture {
  id: string;
  type: PictureType;
  /** Bytes */
  size: number;
  /** Pixels */
  width: number;
  /** Pixels */
  height: number;
}

export interface Message {
  n: number;
  from: string;
  cid: string;
  body: string;
  /** Epoch milliseconds */
  at: number;
  /** Number of the message that it answers */
  replyTo?: number;
  picture?: Picture;
  /** When its text was last changed, epoch milliseconds */
  editedAt?: number;
  /** When it was taken back, epoch milliseconds */
  unsentAt?: number;
  /** Each user's emoji, by the user's id */
  reactions?: Reactions;
}

export interface HistoryPage {
  items: Message[];
  more: boolean;
  /** The messages that those of the page answer, and that are not among them */
  quoted: Message[];
  /** How many changes of messages the conversation has had: another one than before means that older messages may differ */
  revision: number;
  /** Messages up to this number are deleted for the user */
  clearedN: number;
}

export interface SearchFields {
  /** Parts of words, up to 8 with white space between them; a message has all of them, in any order and case */
  q: string;
  peer?: string;
  /** 20 if left out */
  limit?: number;
  after?: string;
}

export interface FoundMessage {
  peer: string;
  n: number;
  from: string;
  cid: string;
  body: string;
  /** Epoch milliseconds */
  at: number;
  /** Number of the message that it answers */
  replyTo?: number;
  picture?: Picture;
  /** When its text was last changed, epoch milliseconds */
  editedAt?: number;
  /** When it was taken back, epoch milliseconds */
  unsentAt?: number;
  /** Each user's emoji, by the user's id */
  reactions?: Reactions;
}

export interface SearchPage {
  items: FoundMessage[];
  /** The peers of these conversations, except deleted users */
  people: {
    id: string;
    username: string;
    nickname: string;
    avatar: string;
  }[];
  /** How many messages of the user this page covers */
  searched: number;
  /** Where the next page starts; absent on the last one */
  next?: string;
}

export interface UnsendBody {
  peer: string;
  /** Number of the message */
  n: number;
}

export interface UnsentAnswer {
  peer: string;
  n: number;
  /** Epoch milliseconds */
  unsentAt: number;
}

export interface EditBody {
  peer: string;
  /** Number of the message */
  n: number;
  body: string;
}

export interface EditedAnswer {
  peer: string;
  n: number;
  /** Epoch milliseconds; 0 if it still has its first text */
  editedAt: number;
}

export interface ReactBody {
  peer: string;
  /** Number of the message */
  n: number;
  /** Exactly one emoji; empty: none any more */
  emoji: string;
}

export interface ReactedAnswer {
  peer: string;
  n: number;
  emoji: string;
}

export interface MarkBody {
  peer: string;
  read: number;
}

export interface MarkedAnswer {
  peer: string;
  received: number;
  read: number;
}

export interface Conversation {
  peer: string;
  last: Message;
  unread: number;
  /** Number of the last message that the peer's devices have */
  received: number;
  /** Number of the last message that the peer has read */
  read: number;
  /** Number of the last message that the caller has read */
  ownRead: number;
  /** How many changes of messages the conversation has had: another one than before means that older messages may differ */
  revision: number;
  /** No push until then, epoch milliseconds; 0: not muted */
  mutedUntil: number;
  /** Epoch milliseconds; 0: not pinned */
  pinnedAt: number;
  archived: Flag;
  markedUnread: Flag;
  /** Messages up to this number are deleted for the user */
  clearedN: number;
}

export interface ConversationBody {
  peer: string;
  /** Epoch milliseconds; 0: not muted */
  mutedUntil?: number;
  pinned?: Flag;
  archived?: Flag;
  markedUnread?: Flag;
}

export interface ClearBody {
  peer: string;
  /** The last message to be deleted for the caller; above the last of all: that one */
  n: number;
}

export interface KeptConversation {
  peer: string;
  /** No push until then, epoch milliseconds; 0: not muted */
  mutedUntil: number;
  /** Epoch milliseconds; 0: not pinned */
  pinnedAt: number;
  archived: Flag;
  markedUnread: Flag;
  /** Messages up to this number are deleted for the user */
  clearedN: number;
}

export interface PersonName {
  id: string;
  username: string;
  nickname: string;
  avatar: string;
}

export interface ConversationPage {
  items: Conversation[];
  /** The pinned conversations, the latest pin first; only on the first page of the list */
  pinned?: Conversation[];
  /** The peers of these conversations, except deleted users */
  people: PersonName[];
  /** Where the next page starts; absent on the last one */
  next?: string;
}

export interface MessageRequestBody {
  /** Id of the stranger who wrote */
  peer: string;
  act: MessageRequestAct;
}

export interface MessageRequestAnswer {
  /** Id of the stranger who wrote */
  peer: string;
  state: MessageRequestState;
}

export interface FriendBody {
  userId: string;
}

export interface FriendEntry {
  id: string;
  username: string;
  nickname: string;
  avatar: string;
  /** requested: by the caller; asked: by the other user */
  state: FriendEntryState;
  /** Epoch milliseconds of the last change */
  at: number;
}

export interface FriendPage {
  items: FriendEntry[];
  /** Where the next page starts; absent on the last one */
  next?: string;
}

export interface FriendAnswer {
  userId: string;
  /** requested: by the user; asked: by the other user */
  state: FriendState;
}

export interface ReportBody {
  userId: string;
  reason: ReportReason;
  text?: string;
  /** Numbers of messages in the conversation with that user; unknown ones are left out */
  messages?: number[];
  /** Whether to block the user too */
  block?: boolean;
}

export interface FiledReport {
  id: string;
}

export interface PresenceState {
  id: string;
  online: Flag;
  /** 1 when online and no device is used */
  idle: Flag;
  /** Epoch milliseconds of going offline; 0 while online, or unknown */
  lastSeen: number;
}

export interface SubscriptionKeys {
  /** The client's public key, Base64 of either alphabet */
  p256dh: string;
  /** The client's auth secret, Base64 of either alphabet */
  auth: string;
}

export interface Subscription {
  /** URL of the push service for this device */
  endpoint: string;
  keys: SubscriptionKeys;
}

export interface SubscribeBody {
  userId: string;
  subscription: Subscription | string;
  /** Language of the notifications, a BCP 47 tag: Chinese for zh and its variants, else English; left out: that of Accept-Language */
  lang?: string;
}

export interface TestSendQuery {
  userId: string;
  /** 1: the answer has what each push service answered */
  detail?: Flag;
  /** Id of the only device to send to; left out: all */
  device?: string;
}

export interface ReceiptBody {
  /** `doorman.receipt` of the push */
  receipt: string;
  event: ReceiptEvent;
}

export interface PushLogEntry {
  id: string;
  /** Epoch milliseconds */
  at: number;
  /** Id of the sender of the messages that it is about */
  peer: string | null;
  /** Id of the subscription; empty if the entry is about all devices */
  device: string;
  /** The device's User-Agent at that time; empty if there is none, and for an unconfirmed device */
  device_name: string;
  kind: PushLogKind;
  /** What the push service answered; failed, unusable or waiting if nothing could be sent; any other word: why nothing was sent */
  outcome: PushLogOutcome;
  /** The push service's answer, if it gave one */
  status: number | null;
  /** One word for why it was not accepted or waits: timeout, tls, connect, private_address, port, protocol, fault, gone, refused, too_large, rate_limited, server_error, keys_unusable, refused_7_days, gave_up_24h, push_service_paused, push_service_refuses, quiet, unconfirmed_rate or removed; empty if the outcome says everything, and in entries of earlier versions */
  reason: string;
  /** The reason as a sentence for people; for seen, the name of the device on which it was seen, empty if unknown. Programs read reason */
  detail: string;
  /** Epoch milliseconds: when it is tried again */
  waiting_until: number | null;
  /** Epoch milliseconds: when the device reported that it showed the notification */
  shown: number | null;
  /** Epoch milliseconds: when the device reported that it was clicked */
  clicked: number | null;
}

export interface PushDevice {
  id: string;
  /** Origin of the push service */
  service: string;
  /** User-Agent of the client */
  device: string;
  /** 1 if it was stored with the user's own token */
  confirmed: Flag;
  /** 1 if it belongs to the session of this call */
  current: Flag;
  /** 0 if its keys turned out to be invalid */
  usable: Flag;
  /** Epoch milliseconds */
  create_time: number;
}

export type UnsubscribeBody =
  | {
      endpoint: string;
      id?: string;
    }
  | {
      id: string;
      endpoint?: string;
    };

export interface Hello {
  id: string;
  token?: string;
  /** The client's own name for itself */
  device?: string;
  epoch?: string;
  seq?: number;
  /** Left out: true */
  visible?: boolean;
  /** Left out: as visible */
  active?: boolean;
}

export interface Welcome {
  userId: string;
  /** As in GET /api/sessions */
  session: string;
  /** Names this state of the database: positions of another are void */
  epoch: string;
  /** The number of the user's last event */
  seq: number;
  /** Whether all events after the position named in hello follow */
  resumed: boolean;
  /** Milliseconds between two pings of the service */
  heartbeat: number;
  /** Bytes that a frame may have */
  maxFrame: number;
}

export interface OwnSettings {
  push_enabled: Flag;
  dnd_enabled: Flag;
  push_preview: PushPreview;
}

export interface QuietWindow {
  /** On which days it begins; 1 is Monday */
  days: number[];
  /** Such as 22:00 */
  from: string;
  /** Such as 22:00 */
  to: string;
}

export interface Quiet {
  /** Epoch milliseconds: quiet from now until then, once; 0: not */
  until: number;
  /** IANA name of the time zone of the windows */
  time_zone: string;
  windows: QuietWindow[];
}

export interface QuietBody {
  /** Quiet from now until then, once, epoch milliseconds; 0 ends it; left out: as it is */
  until?: number;
  /** IANA name of a time zone */
  timeZone: string;
  windows: QuietWindow[];
}

export interface NextPages {
  /** Where the next page starts; absent on the last one */
  friends?: string;
  /** Where the next page starts; absent on the last one */
  requests?: string;
  /** Where the next page starts; absent on the last one */
  blocks?: string;
  /** Where the next page starts; absent on the last one */
  conversations?: string;
}

export interface Snapshot {
  epoch: string;
  /** Number of the last event that the snapshot includes */
  seq: number;
  profile: OwnUser;
  settings: OwnSettings;
  privacy: Privacy;
  quiet: Quiet;
  friends: FriendEntry[];
  requests: FriendEntry[];
  /** How many message requests wait */
  messageRequests: number;
  blocks: BlockedUser[];
  conversations: Conversation[];
  /** The pinned ones, the latest pin first */
  pinned: Conversation[];
  /** The peers of these conversations */
  people: PersonName[];
  /** For each list that is longer than a page, the cursor of its next page */
  next: NextPages;
}

export interface PutUserBody {
  /** A letter or digit, then up to 63 of A-Z a-z 0-9 . _ : @ | ~ - */
  id: string;
  username: string;
  /** Empty: the username */
  nickname?: string;
  /** A plausible address, or empty */
  email?: string;
  /** http(s) without credentials, relative to the root of the service, or empty */
  avatar?: string;
  gender?: Gender;
  bio?: string;
  phone?: string;
  password?: string;
  /** An address that the product has verified: its user signs in by it, and gets mail. Empty: none */
  verified_email?: string;
}

export interface AdminUser {
  id: string;
  username: string;
  nickname: string;
  email: string;
  avatar: string;
  gender: Gender;
  bio: string;
  phone: string;
  push_enabled: Flag;
  dnd_enabled: Flag;
  status: AccountStatus;
  /** Epoch milliseconds */
  created_at: number;
  /** Without, the user signs in through the backend alone */
  hasPassword: boolean;
}

export interface PutUserAnswer {
  /** Whether there was no user with this id */
  created: boolean;
  user: AdminUser;
}

export interface UserPresence {
  id: string;
  isOnline: Flag;
  /** Epoch milliseconds of going offline; 0 while online, or unknown */
  lastSeen: number;
}

export interface SignInBody {
  userId: string;
  /** How the user's device names itself (User-Agent), of which 200 characters are kept; left out: the key */
  device?: string;
  /** Whether the user has just proved who they are, as by their password */
  confirmed?: boolean;
}

export interface SignInRefused {
  /** The HTTP status too */
  code: number;
  /** A stable word for programs */
  error: string;
  /** A sentence for people: Chinese, but English on the push endpoints, and where `Accept-Language` prefers another language */
  msg: string;
  /** What the operator gave as the reason; empty if nothing */
  reason?: string;
  /** Epoch milliseconds: when the account is restored; 0: the operator gave no time */
  until?: number;
}

export interface SignedIn {
  token: string;
  sessionId: string;
}

export interface EndSessionsBody {
  userId: string;
  /** Left out: all sessions of the user */
  sessionId?: string;
}

export interface EndedSessions {
  /** How many */
  ended: number;
}

export interface SetFriendsBody {
  userId: string;
  peerId: string;
  friends: boolean;
}

export interface SetFriendsAnswer {
  /** requested: by the user; asked: by the other user */
  state: FriendState;
}

export interface BlockOfBody {
  userId: string;
  blockedId: string;
}

export interface KeyMessage {
  from: string;
  to: string;
  /** The sender's own name for the message, such as a UUID */
  cid: string;
  body: string;
}

export interface SendMessagesBody {
  messages: KeyMessage[];
}

export type SentMessage =
  | {
      /** The message's number in the conversation */
      n: number;
      /** Epoch milliseconds */
      at: number;
      /** Whether this cid was stored before */
      duplicate: boolean;
    }
  | {
      /** A stable word for programs */
      error: string;
      /** A sentence for people: Chinese, but English on the push endpoints, and where `Accept-Language` prefers another language */
      msg: string;
    };

/** The fields that a user can set of their profile, with the bounds of a text. */
export const PROFILE_FIELDS = {
  nickname: { maxLength: 64 },
  email: { maxLength: 254, pattern: '^$|^[^\\s@]+@[^\\s@]+$' },
  avatar: { maxLength: 2048 },
  gender: {},
  bio: { maxLength: 1000 },
  phone: { maxLength: 32, pattern: '^[0-9+\\-(). ]*$' },
} as const;

/** What each event of a user's log carries. */
export interface LogEventData {
  message: {
    /** Id of the other user of the conversation */
    peer: string;
    /** 1, 2, 3 .. in the conversation */
    n: number;
    from: string;
    cid: string;
    body: string;
    /** Number of the message that it answers */
    replyTo?: number;
    picture?: Picture;
    /** When its text was last changed, epoch milliseconds */
    editedAt?: number;
    /** When it was taken back, epoch milliseconds */
    unsentAt?: number;
    /** Each user's emoji, by the user's id */
    reactions?: Reactions;
    /** It waits among the message requests of the user */
    request?: 1;
  };
  unsent: {
    /** Id of the other user of the conversation */
    peer: string;
    /** Number of the message */
    n: number;
    /** Id of who changed it */
    by: string;
    /** How many changes of messages the conversation has had */
    revision: number;
  };
  edited: {
    /** Id of the other user of the conversation */
    peer: string;
    /** Number of the message */
    n: number;
    /** Id of who changed it */
    by: string;
    /** The latest text. Without it, during an update, the message is to be read */
    body?: string;
    /** How many changes of messages the conversation has had */
    revision: number;
  };
  reaction: {
    /** Id of the other user of the conversation */
    peer: string;
    /** Number of the message */
    n: number;
    /** Id of who changed it */
    by: string;
    /** Empty where the user's reaction was removed */
    emoji: string;
    /** How many changes of messages the conversation has had */
    revision: number;
  };
  conversation: KeptConversation;
  marked: {
    peer: string;
    /** Id of who received and read: the user themselves, or the peer */
    by: string;
    received: number;
    read: number;
  };
  friend: {
    userId: string;
    /** requested: by the user; asked: by the other user */
    state: FriendState;
  };
  block: {
    userId: string;
  };
  unblock: {
    userId: string;
    /** That of the conversation with them, whose changes were not sent meanwhile */
    revision?: number;
  };
  profile: OwnUser;
  settings: OwnSettings;
  privacy: Privacy;
  quiet: Quiet;
  message_request: MessageRequestAnswer;
  report: {
    /** Id of the report of the user that was decided on */
    id: string;
    act: ReportAct;
  };
  sessions: {
    /** Ids of sessions of the user */
    ended: string[];
  };
  account: {
    what: AccountNotice;
    /** Id of the session that was opened */
    session: string;
    /** User-Agent of its client */
    device: string;
  };
}

/** The events that today's service writes; a later one may write more. */
export const LOG_EVENT_NAMES = [
  'message',
  'unsent',
  'edited',
  'reaction',
  'conversation',
  'marked',
  'friend',
  'block',
  'unblock',
  'profile',
  'settings',
  'privacy',
  'quiet',
  'message_request',
  'report',
  'sessions',
  'account',
] as const;
