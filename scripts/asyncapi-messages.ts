import type { TObject, TSchema } from 'typebox';
import { LOG_EVENTS, type LogEventName } from '../src/events/log-events.ts';
import { FRAMES_IN, type FrameName, RequestId } from '../src/sockets/frames-in.ts';
import { FRAMES_OUT, type FrameOut } from '../src/sockets/frames-out.ts';
import type { Examples } from './protocol-examples.ts';

/** What a frame of a client does, each with its section in docs/protocol.md. */
export const SUMMARIES_IN: Record<FrameName, string> = {
  hello: 'Opens the session: the first frame',
  token: 'Sends a newer token of the same session',
  ping: 'Checks that the connection is alive; `pong` answers',
  bye: 'Leaves on purpose; the service closes the connection',
  ack: 'Acknowledges that the device has every event up to `seq`',
  sync: 'Requests the snapshot that a device starts from',
  send: 'Sends a message, which is stored once per `cid`',
  unsend: 'Takes a message back',
  edit: 'Gives a message another text',
  react: "Sets the user's reaction to a message, or removes it",
  mark: 'Marks a conversation as read up to a message',
  history: 'Requests a page of the messages with a user',
  search: "Searches in the user's messages",
  conversations: 'Requests a page of conversations',
  conversation: 'Mutes, pins or archives a conversation, or marks it as unread',
  clear: 'Deletes the messages of a conversation up to a number, for the user alone',
  message_request: 'Accepts or declines the message request of a user',
  friend: 'Requests, cancels, accepts, declines or removes a friendship',
  friends: 'Requests a page of friends and open requests',
  view: 'Reports whether the device is visible and in use',
  watch: 'Subscribes the connection to the presence of users',
  typing: 'Says that the user is writing to another',
};

/** What a frame of the service says, with the sections of docs/protocol.md. */
export const SUMMARIES_OUT: Record<
  Exclude<FrameOut['type'], 'reply'>,
  readonly [summary: string, section: string]
> = {
  event: ["One event of the user's log, in order and without gaps", 'the-log'],
  live: ['All events that were in the log at `hello` have been sent', 'the-log'],
  presence: ['The changed presence of users that the connection watches', 'watch'],
  typing: ['Another user is writing to this one', 'typing'],
  pong: ['Answers `ping`', 'ping'],
  drain: ['This process stops: reconnect within `spreadMs` milliseconds', 'drain'],
};

const SUMMARIES_OF_EVENTS: Record<LogEventName, string> = {
  message: 'A message, in the logs of both users',
  unsent: 'A message was taken back',
  edited: 'A message has another text',
  reaction: 'The reaction of a user to a message has changed',
  conversation:
    'The user keeps a conversation in another way: muted, pinned, archived, marked as unread, or deleted',
  marked: 'How far a user is in a conversation',
  friend: 'What another user is now to this one',
  block: 'The user blocks another',
  unblock: 'The user lifts a block',
  profile: "The user's own profile has changed",
  settings: "The user's own settings have changed",
  privacy: 'Who may reach the user, or what others see of them, has changed',
  quiet: "The user's quiet hours have changed",
  message_request: 'A stranger wrote to the user for the first time, or was answered',
  report: 'The operator decided about a report of the user',
  sessions: 'Sessions of the user have ended',
  account: 'Something happened to the account that the user should check',
};

export interface Message {
  readonly title: string;
  readonly summary: string;
  readonly payload: object;
  readonly examples: Examples[string];
}

/**
 * The schemas of the frames that have no name elsewhere: what an event carries, and the data of a reply. Generators name a model by the
 * schema, and number those without a name.
 */
export function shapesOfFrames(): Record<string, object> {
  const events = Object.entries(LOG_EVENTS).map(([event, data]) => [`${capitalized(event)}Data`, data]);
  const replies = Object.entries<{ reply: TSchema | null }>(FRAMES_IN).flatMap(([frame, { reply }]) =>
    reply && 'properties' in reply ? [[`${capitalized(frame)}ReplyData`, reply]] : [],
  );
  return Object.fromEntries([...events, ...replies]);
}

/** All messages by their keys, with references to named schemas by `refer`. */
export function describeMessages(refer: Refer, examples: Examples): Record<string, Message> {
  return { ...messagesIn(refer, examples), ...replies(refer, examples), ...messagesOut(refer, examples) };
}

export function capitalized(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

type Refer = (schema: object) => object;

function messagesIn(refer: Refer, examples: Examples): Record<string, Message> {
  return Object.fromEntries(
    Object.entries(FRAMES_IN).map(([type, { fields }]) => [
      type,
      {
        title: type,
        summary: SUMMARIES_IN[type as FrameName], // the keys of FRAMES_IN
        payload: withFields(type, { id: RequestId, ...fields.properties }, fields.required, refer),
        examples: examples[type] ?? [],
      },
    ]),
  );
}

function replies(refer: Refer, examples: Examples): Record<string, Message> {
  const [reply, errorReply] = FRAMES_OUT.reply.anyOf;
  const { type, id, code } = reply.properties;
  const ofFrames = Object.entries<{ reply: TSchema | null }>(FRAMES_IN);
  const withData = ofFrames.flatMap(([frame, { reply: data }]): [string, Message][] => {
    if (data === null) return [];
    const key = `${frame}Reply`;
    const payload = toObject({ type, id, code, data }, refer);
    return [
      [
        key,
        {
          title: `reply to ${frame}`,
          summary: `Answers \`${frame}\``,
          payload,
          examples: examples[key] ?? [],
        },
      ],
    ];
  });
  const withoutData = ofFrames
    .filter(([, { reply: data }]) => data === null)
    .map(([frame]) => `\`${frame}\``);
  return {
    ...Object.fromEntries(withData),
    reply: {
      title: 'reply without data',
      summary: `Answers ${withoutData.join(', ')}`,
      payload: toObject({ type, id, code }, refer),
      examples: examples.reply ?? [],
    },
    errorReply: {
      title: 'error reply',
      summary: 'Refuses a request, with the codes and words of the HTTP interface',
      payload: refer(errorReply),
      examples: examples.errorReply ?? [],
    },
  };
}

function messagesOut(refer: Refer, examples: Examples): Record<string, Message> {
  const { reply: _, event, ...others } = FRAMES_OUT;
  const events = Object.keys(LOG_EVENTS).map((name, at): [string, Message] => [
    `${name}Event`,
    {
      title: `event ${name}`,
      summary: SUMMARIES_OF_EVENTS[name as LogEventName], // the keys of LOG_EVENTS
      payload: refer(event.anyOf[at] ?? {}),
      examples: examples[`${name}Event`] ?? [],
    },
  ]);
  const rest = Object.entries(others).map(([type, schema]): [string, Message] => [
    `${type}Frame`,
    {
      title: type,
      summary: SUMMARIES_OUT[type as keyof typeof others][0],
      payload: refer(schema),
      examples: examples[`${type}Frame`] ?? [],
    },
  ]);
  return Object.fromEntries([...events, ...rest]);
}

/** Unknown fields are ignored, so none are forbidden. */
function withFields(
  type: string,
  properties: TObject['properties'],
  required: readonly string[] = [],
  refer: Refer,
) {
  const { properties: own } = toObject(properties, refer);
  return { type: 'object', required: ['type', ...required], properties: { type: { const: type }, ...own } };
}

function toObject(properties: TObject['properties'], refer: Refer) {
  const fields = Object.entries(properties).map(([name, schema]) => [name, refer(schema)] as const);
  return { type: 'object', required: Object.keys(properties), properties: Object.fromEntries(fields) };
}
