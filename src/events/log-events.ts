import { type Static, Type } from 'typebox';
import { flag, oneOf, text } from '../http/validation.ts';
import { Privacy } from '../users/privacy.ts';
import { OwnUser, PushPreview } from '../users/schemas.ts';

const TimeOfDay = text({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description: 'Such as 22:00' });

/** Hours of each week, in the user's time zone. With `to` before `from` the window ends on the next day. */
export const QuietWindow = Type.Object({
  days: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
    minItems: 1,
    maxItems: 7,
    description: 'On which days it begins; 1 is Monday',
  }),
  from: TimeOfDay,
  to: TimeOfDay,
});
export type QuietWindow = Static<typeof QuietWindow>;

/** The relation of two users, as one of them sees it. */
export const FriendState = oneOf('FriendState', ['none', 'requested', 'asked', 'friends'], {
  description: 'requested: by the user; asked: by the other user',
});
export type FriendState = Static<typeof FriendState>;

/** What the operator decided about a report. */
export const ReportAct = oneOf('ReportAct', ['dismiss', 'suspend']);
export type ReportAct = Static<typeof ReportAct>;

/** When a user wants no notification. */
export const Quiet = Type.Object({
  until: Type.Integer({ description: 'Epoch milliseconds: quiet from now until then, once; 0: not' }),
  time_zone: Type.String({ description: 'IANA name of the time zone of the windows' }),
  windows: Type.Array(QuietWindow, { maxItems: 14 }),
});
export type Quiet = Static<typeof Quiet>;

/** A picture of a message, as its upload answered. */
export const Picture = Type.Object(
  {
    id: Type.String(),
    type: oneOf('PictureType', ['image/jpeg', 'image/png', 'image/webp']),
    size: Type.Integer({ description: 'Bytes' }),
    width: Type.Integer({ description: 'Pixels' }),
    height: Type.Integer({ description: 'Pixels' }),
  },
  { shape: 'Picture' },
);
export type Picture = Static<typeof Picture>;

/** What a message has beside its text, each only where it is set. An unsent message has an empty text and none of the others. */
export const MESSAGE_CHANGES = {
  replyTo: Type.Optional(Type.Integer({ description: 'Number of the message that it answers' })),
  picture: Type.Optional(Picture),
  editedAt: Type.Optional(
    Type.Integer({ description: 'When its text was last changed, epoch milliseconds' }),
  ),
  unsentAt: Type.Optional(Type.Integer({ description: 'When it was taken back, epoch milliseconds' })),
  reactions: Type.Optional(
    Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: "Each user's emoji, by the user's id",
    }),
  ),
};

/** How a user keeps a conversation. */
export const ConversationSettings = Type.Object({
  mutedUntil: Type.Integer({ description: 'No push until then, epoch milliseconds; 0: not muted' }),
  pinnedAt: Type.Integer({ description: 'Epoch milliseconds; 0: not pinned' }),
  archived: flag(),
  markedUnread: flag(),
  clearedN: Type.Integer({ description: 'Messages up to this number are deleted for the user' }),
});
export type ConversationSettings = Static<typeof ConversationSettings>;

const CHANGED = {
  peer: Type.String({ description: 'Id of the other user of the conversation' }),
  n: Type.Integer({ description: 'Number of the message' }),
  by: Type.String({ description: 'Id of who changed it' }),
};
const Revision = Type.Integer({ description: 'How many changes of messages the conversation has had' });

/**
 * The events of a user's log and the data of each (docs/protocol.md, The log). Presence and typing are not among them: they are true
 * only at the moment. Stored rows are sent for up to seven days, so no event and no field may be renamed.
 */
export const LOG_EVENTS = {
  message: Type.Object({
    peer: Type.String({ description: 'Id of the other user of the conversation' }),
    n: Type.Integer({ description: '1, 2, 3 .. in the conversation' }),
    from: Type.String(),
    cid: Type.String(),
    body: Type.String(),
    ...MESSAGE_CHANGES,
    request: Type.Optional(
      Type.Literal(1, { description: 'It waits among the message requests of the user' }),
    ),
  }),
  unsent: Type.Object({ ...CHANGED, revision: Revision }),
  edited: Type.Object({
    ...CHANGED,
    body: Type.Optional(
      Type.String({
        description: 'The latest text. Without it, during an update, the message is to be read',
      }),
    ),
    revision: Revision,
  }),
  reaction: Type.Object({
    ...CHANGED,
    emoji: Type.String({ description: "Empty where the user's reaction was removed" }),
    revision: Revision,
  }),
  conversation: Type.Object({ peer: Type.String(), ...ConversationSettings.properties }),
  marked: Type.Object({
    peer: Type.String(),
    by: Type.String({ description: 'Id of who received and read: the user themselves, or the peer' }),
    received: Type.Integer(),
    read: Type.Integer(),
  }),
  friend: Type.Object({
    userId: Type.String(),
    state: FriendState,
  }),
  block: Type.Object({ userId: Type.String() }),
  unblock: Type.Object({
    userId: Type.String(),
    revision: Type.Optional(
      Type.Integer({
        description: 'That of the conversation with them, whose changes were not sent meanwhile',
      }),
    ),
  }),
  profile: OwnUser,
  settings: Type.Object({
    push_enabled: flag(),
    dnd_enabled: flag(),
    push_preview: PushPreview,
  }),
  privacy: Privacy,
  quiet: Quiet,
  message_request: Type.Object({
    peer: Type.String({ description: 'Id of the stranger who wrote' }),
    state: oneOf('MessageRequestState', ['accepted', 'declined']),
  }),
  report: Type.Object({
    id: Type.String({ description: 'Id of the report of the user that was decided on' }),
    act: ReportAct,
  }),
  sessions: Type.Object({ ended: Type.Array(Type.String(), { description: 'Ids of sessions of the user' }) }),
  account: Type.Object({
    what: oneOf('AccountNotice', ['new_sign_in']),
    session: Type.String({ description: 'Id of the session that was opened' }),
    device: Type.String({ description: 'User-Agent of its client' }),
  }),
} as const;

export type LogEventName = keyof typeof LOG_EVENTS;

export type LogEventData = { [E in LogEventName]: Static<(typeof LOG_EVENTS)[E]> };

/** What may change of a message: its text, and what it has only where it is set. */
export type MessageState = Pick<LogEventData['message'], 'body' | keyof typeof MESSAGE_CHANGES>;

/**
 * The data of each event as the log stores it: that of a message, and of its change, without what only `messages` holds. Rows that
 * versions before 0.1.0 wrote have the text too, which is not read.
 */
export type StoredEventData = Omit<LogEventData, 'message' | 'edited'> & {
  message: Omit<LogEventData['message'], keyof MessageState>;
  edited: Omit<LogEventData['edited'], 'body'>;
};

type EventOf<Data extends LogEventData | StoredEventData> = {
  [E in LogEventName]: {
    /** 1, 2, 3 .. for each user, without gaps. */
    readonly seq: number;
    /** Epoch milliseconds. */
    readonly at: number;
    readonly event: E;
    readonly data: Data[E];
  };
};

/** One event of a user's log, as devices get it. */
export type LogEvent<Name extends LogEventName = LogEventName> = EventOf<LogEventData>[Name];

/** One event of a user's log, as it is stored. */
export type StoredEvent<Name extends LogEventName = LogEventName> = EventOf<StoredEventData>[Name];
