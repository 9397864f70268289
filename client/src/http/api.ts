import { badText, hasBadText } from '../bad-text.ts';
import type * as Wire from '../wire.ts';
import type { Envelope } from './http.ts';

/** The HTTP interface, one method for each endpoint (interface 4 and the service's `/docs`). All throw `DoormanError`. */
export interface Api {
  /** What a client needs to know before a user is signed in, such as who may register; changes when the operator restarts the service. */
  options(): Promise<Wire.ServiceOptions>;
  register(body: Wire.RegisterBody): Promise<Wire.Registered>;
  login(body: Wire.LoginBody): Promise<Wire.LoggedIn>;
  /** A fresh token of the same session. `Doorman` renews its token by itself. */
  freshToken(): Promise<Wire.FreshToken>;
  logout(): Promise<void>;
  sessions(): Promise<Wire.SessionEntry[]>;
  endSession(id: string): Promise<void>;
  changePassword(body: Wire.ChangePasswordBody): Promise<void>;
  /**
   * Sets a new password by the token of a link that the operator made, once. All sessions of that user end. Needs no session, and does
   * not sign in.
   *
   * @throws {DoormanError} `link_invalid`: unknown, used, replaced or expired
   */
  usePasswordLink(body: Wire.PasswordLinkBody): Promise<void>;
  /** Ends all sessions of the user but this one. */
  endOtherSessions(): Promise<void>;
  /**
   * Ends the session that a mail about a new sign-in names, by the token of its link. Needs no session.
   *
   * @throws {DoormanError} `link_invalid`: unknown, or the session has ended
   */
  endSessionByLink(token: string): Promise<void>;

  /** The address of the user that gets mail, one that waits for its code, and until when the session is confirmed. */
  account(): Promise<Wire.Account>;
  /**
   * Confirms the session by the user's password, as calls that refuse with 403 `confirm_required` need it. A login does so too.
   *
   * @throws {DoormanError} `wrong_password`
   */
  confirm(password: string): Promise<Wire.Confirmed>;
  /**
   * Mails a code and a link to an address, which becomes the user's by `verifyEmail`. Needs a confirmed session.
   *
   * @throws {DoormanError} `confirm_required`, `mail_off`, `email_invalid`, `too_many_mails`
   */
  setEmail(body: Wire.SetEmailBody): Promise<void>;
  /**
   * Makes the address of a mail the user's, by its code, or by the token of its link. The token needs no session.
   *
   * @throws {DoormanError} `code_invalid`: wrong, used, replaced or expired; `email_taken`: another account has verified the address
   */
  verifyEmail(by: Wire.VerifyEmailBody): Promise<Wire.VerifiedEmail>;
  /** Removes the user's address, and one that waits for its code. Needs a confirmed session. @throws {DoormanError} `confirm_required` */
  removeEmail(): Promise<void>;
  /**
   * Mails a link for a new password (`usePasswordLink`) to the verified address of an account. It resolves alike whether there is such
   * an account or not. Needs no session.
   *
   * @throws {DoormanError} `mail_off`
   */
  forgotPassword(body: Wire.ForgotPasswordBody): Promise<void>;
  /**
   * Asks for the deletion of the account. Needs a confirmed session; all sessions of the user end. `Doorman.deleteAccount` does so too,
   * and removes what is on this device.
   *
   * @returns `until` when the user can take it back, epoch milliseconds
   * @throws {DoormanError} `confirm_required`
   */
  deleteAccount(): Promise<Wire.DeletionAsked>;
  /**
   * Takes the deletion of an account back, by the ticket of an `AccountLeaving`, and opens a session. Needs none. `Doorman.keepAccount`
   * does so too, and signs in.
   *
   * @throws {DoormanError} `ticket_invalid`: unknown, used or expired, or the account is erased; `account_suspended`
   */
  keepAccount(ticket: string): Promise<Wire.LoggedIn>;
  /**
   * A ticket to download the data of the user once within a minute, by `exportUrl`. Needs a confirmed session.
   *
   * @throws {DoormanError} `confirm_required`; `too_many_exports`: 3 a day
   */
  exportTicket(): Promise<Wire.ExportTicket>;
  /** A page of what happened to the user's account, newest first. */
  accountLog(query?: {
    /** 1 to 100; left out: 100. */
    limit?: number;
    /** `next` of the previous page. */
    before?: string;
  }): Promise<Wire.AccountLogPage>;

  /**
   * A page of all users, by id, or of a search, by name. `next` is the cursor of the next page; absent on the last. A page of a search
   * may be empty and have a `next`, and a user may come again on a later page.
   *
   * @throws {DoormanError} `bad_query` for a `q` without a letter or digit that is no whole username
   */
  users(query?: {
    /** Words, in any order, each the start of a word of one name. A whole username is found first. */
    q?: string;
    /** Only users who are online. */
    online?: boolean;
    /** 1 to 1000; left out: 100. */
    limit?: number;
    after?: string;
  }): Promise<{ users: Wire.DirectoryEntry[]; next?: string }>;
  profileOf(userId: string): Promise<Wire.PublicProfile>;
  updateProfile(body: Wire.ProfileBody): Promise<Wire.OwnUser>;
  /**
   * Sets the user's picture, a square of 16 to 512 pixels a side in JPEG, PNG or WebP of at most 64 KiB. `avatar` then names it (`avatarUrl`).
   *
   * @throws {DoormanError} `picture_type`, `picture_invalid`, `picture_size`, `picture_too_large`, `too_many_pictures`
   */
  uploadAvatar(picture: Blob): Promise<Wire.OwnUser>;
  updateSettings(body: Wire.SettingsBody): Promise<Wire.Settings>;
  /** Who may reach the user, and what others see of them. */
  privacy(): Promise<Wire.Privacy>;
  /** Changes the fields that are there. @returns all of them */
  setPrivacy(body: Wire.PrivacyBody): Promise<Wire.Privacy>;
  /** When the user wants no notification. */
  quiet(): Promise<Wire.Quiet>;
  /** Replaces the quiet hours. Without `until`, that of before stays; 0 ends it. */
  setQuiet(body: Wire.QuietBody): Promise<Wire.Quiet>;

  block(userId: string): Promise<Wire.BlockedUser>;
  unblock(userId: string): Promise<void>;
  /** All users that the user blocks, newest first. */
  blocked(): Promise<Wire.BlockedUser[]>;
  blockedPage(query?: Page): Promise<{ blocked: Wire.BlockedUser[]; next?: string }>;

  /** `picture` is the id of a picture that `uploadPicture` returned and that no message has yet. */
  sendMessage(body: Wire.SendBody): Promise<Wire.Stored>;
  /**
   * Uploads a picture for a message. `Doorman.send` does so by itself, and works offline too. One that is not sent is removed after 24
   * hours.
   *
   * @param picture `image/jpeg`, `image/png` or `image/webp`, at most 1 MiB and 2,560 pixels a side
   * @throws {DoormanError} `picture_type`, `picture_invalid`, `picture_size`, `picture_too_large`, `too_many_pictures`, `pictures_off`
   */
  uploadPicture(picture: Blob): Promise<Wire.Picture>;
  /** Adds what conversations show of a picture, at most 32 KiB and 480 pixels a side. @throws {DoormanError} as `uploadPicture` */
  uploadPreview(id: string, preview: Blob): Promise<void>;
  /** The picture of a message of either side. @throws {DoormanError} 404, also once the message was unsent */
  picture(id: string): Promise<Blob>;
  /** Its preview. @throws {DoormanError} 404 if there is none */
  picturePreview(id: string): Promise<Blob>;
  /** `Doorman.unsend`, `edit` and `react` work offline too. */
  unsendMessage(body: Wire.UnsendBody): Promise<Wire.UnsentAnswer>;
  editMessage(body: Wire.EditBody): Promise<Wire.EditedAnswer>;
  reactToMessage(body: Wire.ReactBody): Promise<Wire.ReactedAnswer>;
  history(fields: Wire.HistoryFields): Promise<Wire.HistoryPage>;
  /**
   * Searches in the messages of the user: conversation by conversation, the latest first, in each the newest first. The service reads
   * up to 20,000 messages for one page, so a page may have few hits, or none, and a `next`, which is absent once all were read.
   *
   * @param options.known hits of the pages before, which are left out: a conversation with a new message may come twice
   * @param options.signal ends the search at the service too; the call then rejects with the signal's reason
   * @throws {DoormanError} `too_many_searches`; `overloaded`: too many run
   */
  search(
    fields: Wire.SearchFields,
    options?: { known?: readonly Pick<Wire.FoundMessage, 'peer' | 'n'>[]; signal?: AbortSignal },
  ): Promise<Wire.SearchPage>;
  markRead(body: Wire.MarkBody): Promise<Wire.MarkedAnswer>;
  /**
   * A page, latest first, as of `seq` of the log. With `peer`, only the conversation with that user, if there is one. The first page of
   * the list also has `pinned`, the latest pin first.
   */
  conversations(query?: Page & { peer?: string }): Promise<{
    conversations: Wire.Conversation[];
    pinned?: Wire.Conversation[];
    people: Wire.PersonName[];
    seq: number;
    next?: string;
  }>;
  /**
   * Mutes, pins or archives a conversation, or marks it as unread: the fields that are there. The event `conversation` brings it to all
   * devices of the user.
   *
   * @throws {DoormanError} `conversation_not_found`: nothing was written yet; `too_many_pins`: there are five; `nothing_to_change`
   */
  setConversation(body: Wire.ConversationBody): Promise<Wire.KeptConversation>;
  /** Deletes the messages up to `n` for the user, not for the peer. @throws {DoormanError} `conversation_not_found` */
  clearConversation(body: Wire.ClearBody): Promise<Wire.KeptConversation>;
  /** The same of conversations that strangers began, and that wait for an answer. `conversations` leaves these out. */
  messageRequests(query?: Page & { peer?: string }): ReturnType<Api['conversations']>;
  /**
   * Accepts or declines; the sender is not told. Writing to them accepts too.
   *
   * @throws {DoormanError} 404 `no_request` if nothing of this user waits
   */
  answerMessageRequest(peer: string, act: 'accept' | 'decline'): Promise<Wire.MessageRequestAnswer>;

  /** A page of friends and open requests, latest change first, as of `seq` of the log. */
  friends(
    query?: Page & { list?: 'friends' | 'requests' },
  ): Promise<{ friends: Wire.FriendEntry[]; seq: number; next?: string }>;
  friend(
    act: 'request' | 'cancel' | 'accept' | 'decline' | 'remove',
    userId: string,
  ): Promise<Wire.FriendAnswer>;
  /**
   * Reports a user to the operator, with copies of up to 20 messages, and blocks them if asked to. The user does not learn of it.
   *
   * @throws {DoormanError} `report_self`, `user_not_found`, `too_many_reports`: 10 a day
   */
  report(body: Wire.ReportBody): Promise<Wire.FiledReport>;
  snapshot(): Promise<Wire.Snapshot>;

  pushKey(): Promise<string>;
  /** @param lang the language of the notifications, a BCP 47 tag; left out: what the browser accepts */
  pushSubscribe(subscription: Wire.Subscription, lang?: string): Promise<void>;
  /**
   * Sends a test push. Resolves with what each push service answered within three seconds.
   *
   * @param deviceId only this device; left out: all
   * @throws {DoormanError} 404 if no such device is stored
   */
  pushTest(deviceId?: string): Promise<Wire.PushLogEntry[]>;
  /** Reports that a notification was shown or clicked, by the `doorman.receipt` of its push. For pages with their own worker. */
  pushReceipt(body: Wire.ReceiptBody): Promise<void>;
  pushLog(): Promise<Wire.PushLogEntry[]>;
  pushDevices(): Promise<Wire.PushDevice[]>;
  pushUnsubscribe(which: Wire.UnsubscribeBody): Promise<void>;
}

/** Selects a page of a list. */
interface Page {
  /** 1 to 200; left out: 200. */
  limit?: number;
  /** `next` of the previous page. */
  after?: string;
}

export interface Caller {
  /**
   * @param access `public` needs no session, `stranger` never sends a token
   * @param signal ends the call, which then rejects with its reason
   * @throws {DoormanError}
   */
  call(
    method: 'GET' | 'POST',
    path: string,
    body?: object | Blob,
    access?: 'public' | 'stranger',
    signal?: AbortSignal,
  ): Promise<Envelope>;
  /** @throws {DoormanError} */
  picture(path: string): Promise<Blob>;
  /** @throws {DoormanError} `signed_out` */
  userId(): string;
}

export function openApi({ call, picture, userId }: Caller): Api {
  // The types of the answers are those of `/openapi.json`; a test compares them.
  const get = async <Data>(path: string) => (await call('GET', path)).data as Data;
  const post = async <Data>(path: string, body: object | Blob = {}) =>
    (await call('POST', path, body)).data as Data;

  const conversations = async (query: Parameters<typeof withQuery>[1]) => {
    const { data, pinned, people, seq, next } = await call('GET', withQuery('/api/conversations', query));
    return {
      conversations: data as Wire.Conversation[],
      ...(pinned !== undefined && { pinned: pinned as Wire.Conversation[] }),
      people: people as Wire.PersonName[],
      seq: seq as number,
      ...(next !== undefined && { next }),
    };
  };

  return {
    options: async () => (await call('GET', '/api/options', undefined, 'public')).data as Wire.ServiceOptions,
    register: async (body) => (await call('POST', '/api/register', body, 'stranger')).data as Wire.Registered,
    login: async (body) => (await call('POST', '/api/login', body, 'stranger')).data as Wire.LoggedIn,
    freshToken: () => post('/api/token'),
    logout: () => post('/api/logout'),
    sessions: () => get('/api/sessions'),
    endSession: (id) => post('/api/sessions/end', { id } satisfies Wire.EndSessionBody),
    changePassword: (body) => post('/api/user/change-password', body),
    usePasswordLink: async (body) => void (await call('POST', '/api/password-link', body, 'stranger')),
    endOtherSessions: () => post('/api/sessions/end', { others: true } satisfies Wire.EndSessionBody),
    endSessionByLink: async (token) =>
      void (await call(
        'POST',
        '/api/sessions/end-by-link',
        { token } satisfies Wire.EndByLinkBody,
        'stranger',
      )),

    account: () => get('/api/account'),
    confirm: (password) => post('/api/account/confirm', { password } satisfies Wire.ConfirmBody),
    setEmail: (body) => post('/api/account/email', body),
    verifyEmail: async (by) =>
      (await call('POST', '/api/account/email/verify', by, 'token' in by ? 'stranger' : undefined))
        .data as Wire.VerifiedEmail,
    removeEmail: () => post('/api/account/email/remove'),
    forgotPassword: async (body) => void (await call('POST', '/api/password/forgot', body, 'stranger')),
    deleteAccount: () => post('/api/account/delete'),
    keepAccount: async (ticket) =>
      (await call('POST', '/api/account/keep', { ticket } satisfies Wire.KeepBody, 'stranger'))
        .data as Wire.LoggedIn,
    exportTicket: () => post('/api/account/export'),
    accountLog: ({ before, limit = LOG_LIMIT } = {}) => get(withQuery('/api/account/log', { before, limit })),

    async users({ q, online, limit = USERS_LIMIT, after } = {}) {
      const query = { q, online: online ? '1' : undefined, limit, after };
      const { data, next } = await call('GET', withQuery('/api/users', query));
      return { users: data as Wire.DirectoryEntry[], ...(next !== undefined && { next }) };
    },
    profileOf: async (id) =>
      (await call('GET', `/api/user/profile/${encode(id)}`, undefined, 'public')).data as Wire.PublicProfile,
    updateProfile: (body) => post('/api/user/profile', body),
    uploadAvatar: (picture) => post('/api/user/avatar', picture),
    updateSettings: (body) => post('/api/user/settings', body),
    privacy: () => get('/api/user/privacy'),
    setPrivacy: (body) => post('/api/user/privacy', body),
    quiet: () => get('/api/user/quiet'),
    setQuiet: (body) => post('/api/user/quiet', body),

    block: (blockedId) => post('/api/user/block', { blockedId } satisfies Wire.BlockBody),
    unblock: (blockedId) => post('/api/user/unblock', { blockedId } satisfies Wire.BlockBody),
    blocked: () => get('/api/user/blocked'),
    async blockedPage({ limit = PAGE_LIMIT, after } = {}) {
      const { data, next } = await call('GET', withQuery('/api/user/blocked', { limit, after }));
      return { blocked: data as Wire.BlockedUser[], ...(next !== undefined && { next }) };
    },

    sendMessage: (body) => post('/api/messages', body),
    uploadPicture: (picture) => post('/api/pictures', picture),
    uploadPreview: (id, preview) => post(`/api/pictures/${encode(id)}/preview`, preview),
    picture: async (id) => picture(`/api/pictures/${encode(id)}`),
    picturePreview: async (id) => picture(`/api/pictures/${encode(id)}/preview`),
    unsendMessage: (body) => post('/api/messages/unsend', body),
    editMessage: (body) => post('/api/messages/edit', body),
    reactToMessage: (body) => post('/api/messages/react', body),
    history: async ({ peer, before, after, limit }) =>
      get(withQuery('/api/messages', { peer, before, after, limit })),
    async search({ q, peer, limit, after }, { known = [], signal } = {}) {
      const path = withQuery('/api/search', { q, peer, limit, after });
      const { data, people, searched, next } = await call('GET', path, undefined, undefined, signal);
      const had = new Set(known.map(({ peer, n }) => `${n} ${peer}`));
      return {
        items: (data as Wire.FoundMessage[]).filter(({ peer, n }) => !had.has(`${n} ${peer}`)),
        people: people as Wire.PersonName[],
        searched: searched as number,
        ...(next !== undefined && { next }),
      };
    },
    markRead: (body) => post('/api/messages/mark', body),
    conversations: async ({ peer, limit, after } = {}) => conversations({ peer, limit, after }),
    messageRequests: async ({ peer, limit, after } = {}) =>
      conversations({ peer, limit, after, list: 'requests' }),
    setConversation: (body) => post('/api/conversations/settings', body),
    clearConversation: (body) => post('/api/conversations/clear', body),
    answerMessageRequest: (peer, act) =>
      post('/api/conversations/request', { peer, act } satisfies Wire.MessageRequestBody),

    async friends({ list, limit, after } = {}) {
      const { data, seq, next } = await call('GET', withQuery('/api/friends', { list, limit, after }));
      return { friends: data as Wire.FriendEntry[], seq: seq as number, ...(next !== undefined && { next }) };
    },
    friend: (act, id) =>
      post(`/api/friends/${encodeURIComponent(act)}`, { userId: id } satisfies Wire.FriendBody),
    report: (body) => post('/api/report', body),
    snapshot: () => get('/api/sync'),

    pushKey: async () => (await call('GET', '/api/push/public-key', undefined, 'public')).publicKey as string,
    pushSubscribe: async (subscription, lang) =>
      post('/api/push/subscribe', {
        userId: userId(),
        subscription,
        ...(lang !== undefined && { lang }),
      } satisfies Wire.SubscribeBody),
    pushTest: async (device) =>
      get(withQuery('/api/push/test-send', { userId: userId(), detail: '1', device })),
    pushReceipt: async (body) => void (await call('POST', '/api/push/receipt', body, 'public')),
    pushLog: () => get('/api/push/log'),
    pushDevices: () => get('/api/push/devices'),
    pushUnsubscribe: (which) => post('/api/push/unsubscribe', which),
  };
}

const USERS_LIMIT = 100;
const PAGE_LIMIT = 200;
const LOG_LIMIT = 100;

export function withQuery(path: string, query: Record<string, string | number | undefined>): string {
  const parts = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${encode(value)}`,
  );
  return `${path}?${parts.join('&')}`;
}

/** @throws {DoormanError} `bad_text`, where `encodeURIComponent` throws another error or encodes what no id can contain */
export function encode(value: string | number): string {
  if (hasBadText(value)) throw badText();
  return encodeURIComponent(value);
}
