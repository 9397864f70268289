import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox';
import {
  ClearBody,
  ConversationBody,
  ConversationPage,
  ConversationsFields,
  EditBody,
  EditedAnswer,
  HistoryFields,
  HistoryPage,
  KeptConversation,
  MarkBody,
  MarkedAnswer,
  ReactBody,
  ReactedAnswer,
  SendBody,
  Stored,
  TypingFields,
  UnsendBody,
  UnsentAnswer,
} from '../chat/schemas.ts';
import { SearchFields, SearchPage } from '../chat/search/schemas.ts';
import { hasBadText } from '../http/body.ts';
import { refusal } from '../http/errors.ts';
import { PageSeq } from '../http/pages.ts';
import { text } from '../http/validation.ts';
import { PresenceState, ViewFields, WatchFields } from '../presence/schemas.ts';
import {
  FriendAnswer,
  FriendFields,
  FriendPage,
  FriendsFields,
  MessageRequestAnswer,
  MessageRequestBody,
} from '../relations/schemas.ts';
import { AckFields, SyncFields } from '../sync/frames.ts';
import { Snapshot } from '../sync/snapshot.ts';

/** The client's name for a request, which its reply repeats. It is read before the other texts are checked. */
export const RequestId = text({
  minLength: 1,
  maxLength: 64,
  refine: (id) => {
    if (hasBadText(id)) throw refusal('invalid', 'body_bad_text');
  },
});

/** A frame with an `id` is a request: it gets exactly one reply. */
export const RequestIdField = Type.Object({ id: Type.Optional(RequestId) });
export const FrameType = Type.Object({ type: text({ minLength: 1, maxLength: 64 }) });

/** The first frame. It names the user of the connection by a token; without one it is refused (interface 5.5). */
export const Hello = Type.Object({
  id: RequestId,
  token: Type.Optional(text()),
  device: Type.Optional(text({ maxLength: 64, description: "The client's own name for itself" })),
  epoch: Type.Optional(text({ maxLength: 64 })),
  seq: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  visible: Type.Optional(Type.Boolean({ description: 'Left out: true' })),
  active: Type.Optional(Type.Boolean({ description: 'Left out: as visible' })),
});
export type Hello = Static<typeof Hello>;

/** The reply to `hello`. */
export const Welcome = Type.Object({
  userId: Type.String(),
  session: Type.String({ description: 'As in GET /api/sessions' }),
  epoch: Type.String({ description: 'Names this state of the database: positions of another are void' }),
  seq: Type.Integer({ description: "The number of the user's last event" }),
  resumed: Type.Boolean({ description: 'Whether all events after the position named in hello follow' }),
  heartbeat: Type.Integer({ description: 'Milliseconds between two pings of the service' }),
  maxFrame: Type.Integer({ description: 'Bytes that a frame may have' }),
});
export type Welcome = Static<typeof Welcome>;

export interface FrameIn {
  /** Other fields are ignored. */
  readonly fields: TObject;
  /** The `data` of its reply; null: a reply without. */
  readonly reply: TSchema | null;
  /** Handled at once, in this process's memory alone: also while the database is away. */
  readonly isLocal?: true;
}

/** Every frame that a client may send in `doorman.v1`. */
export const FRAMES_IN = {
  hello: { fields: Hello, reply: Welcome },
  /** A newer token of the same session, sent before the current one expires. */
  token: { fields: Type.Object({ id: RequestId, token: text() }), reply: null },
  /** For clients that cannot ping as RFC 6455 does, such as browsers. */
  ping: { fields: Type.Object({}), reply: null, isLocal: true },
  /** The user leaves on purpose. */
  bye: { fields: Type.Object({}), reply: null, isLocal: true },
  ack: { fields: AckFields, reply: null, isLocal: true },
  sync: { fields: SyncFields, reply: Snapshot },
  send: { fields: SendBody, reply: Stored },
  unsend: { fields: UnsendBody, reply: UnsentAnswer },
  edit: { fields: EditBody, reply: EditedAnswer },
  react: { fields: ReactBody, reply: ReactedAnswer },
  mark: { fields: MarkBody, reply: MarkedAnswer },
  history: { fields: HistoryFields, reply: HistoryPage },
  search: { fields: SearchFields, reply: SearchPage },
  conversations: { fields: ConversationsFields, reply: withSeq(ConversationPage) },
  conversation: { fields: ConversationBody, reply: KeptConversation },
  clear: { fields: ClearBody, reply: KeptConversation },
  message_request: { fields: MessageRequestBody, reply: MessageRequestAnswer },
  friend: { fields: FriendFields, reply: FriendAnswer },
  friends: { fields: FriendsFields, reply: withSeq(FriendPage) },
  view: { fields: ViewFields, reply: null, isLocal: true },
  watch: { fields: WatchFields, reply: Type.Array(PresenceState) },
  typing: { fields: TypingFields, reply: null },
} satisfies Record<string, FrameIn>;

export type FrameName = keyof typeof FRAMES_IN;
export type FieldsOf<Name extends FrameName> = Static<(typeof FRAMES_IN)[Name]['fields']>;

/** A page of a list that a frame asked for. */
function withSeq<Properties extends TProperties>({ properties }: TObject<Properties>) {
  return Type.Object({ ...properties, seq: PageSeq });
}
