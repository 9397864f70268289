import type { Conversation, Message, OwnUser } from 'doorman-client';
import type { SettingsView } from '../features/account/model/views.ts';
import type { MessageRange } from '../features/chat/model/message-range.ts';
import type { KeptName } from '../features/contacts/model/names.ts';
import type { BlockedView, FriendView } from '../features/contacts/model/views.ts';

/** Raised when the shapes below change: what an older page kept is thrown away. */
const VERSION = 1;

/** What the page starts from before the service answers. */
export interface KeptList {
  /** Of the database: numbers of another are void. */
  readonly epoch: string;
  readonly profile: OwnUser;
  readonly settings: SettingsView;
  readonly friends: readonly FriendView[];
  readonly blocks: readonly BlockedView[];
  readonly conversations: readonly Conversation[];
  /** Marks that the service had not confirmed. */
  readonly reads: readonly (readonly [peer: string, n: number])[];
}

/** The last page of a conversation. */
export interface KeptThread extends MessageRange {
  readonly epoch: string;
  readonly peer: string;
  /** When it was kept, epoch milliseconds. */
  readonly at: number;
}

/** What is being written. Each by itself: several tabs of a user write theirs, and none another's. */
export interface KeptDraft {
  readonly peer: string;
  readonly text: string;
}

type Shape<T> = (value: unknown) => value is T;

/** With the mark by which it is known again. */
export function seal(userId: string, value: object): object {
  return { version: VERSION, userId, value };
}

/** What was kept of this user by this version of the page; anything else is `undefined`. */
export function unseal<T>(sealed: unknown, userId: string, isShape: Shape<T>): T | undefined {
  if (!isRecord(sealed) || sealed.version !== VERSION || sealed.userId !== userId) return undefined;
  return isShape(sealed.value) ? sealed.value : undefined;
}

const isMessage = record<Message>({
  n: isNumber,
  from: isString,
  cid: isString,
  body: isString,
  at: isNumber,
});

export const isKeptList = record<KeptList>({
  epoch: isString,
  profile: record<OwnUser>({
    id: isString,
    username: isString,
    nickname: isString,
    email: isString,
    avatar: isString,
    gender: isString,
    bio: isString,
    phone: isString,
    push_enabled: isNumber,
    dnd_enabled: isNumber,
  }),
  settings: record<SettingsView>({
    pushEnabled: isBoolean,
    dndEnabled: isBoolean,
    pushPreview: oneOf('full', 'sender', 'none'),
  }),
  friends: list(
    record<FriendView>({ id: isString, state: oneOf('requested', 'asked', 'friends'), at: isNumber }),
  ),
  blocks: list(record<BlockedView>({ id: isString, at: isNumber })),
  conversations: list(
    record<Conversation>({
      peer: isString,
      last: isMessage,
      unread: isNumber,
      received: isNumber,
      read: isNumber,
      ownRead: isNumber,
    }),
  ),
  reads: list(pair(isString, isNumber)),
});

const hasThreadFields = record<KeptThread>({
  epoch: isString,
  peer: isString,
  at: isNumber,
  hasOlder: isBoolean,
  messages: list(isMessage),
});

export function isKeptThread(value: unknown): value is KeptThread {
  if (!hasThreadFields(value)) return false;
  return value.messages.every(({ n }, i) => i === 0 || n === (value.messages[i - 1]?.n ?? 0) + 1);
}

export const isKeptNames = list(
  record<KeptName>({ id: isString, username: isString, avatar: isString, nickname: isString, at: isNumber }),
);

export const isKeptDraft = record<KeptDraft>({ peer: isString, text: isString });

function record<T>(fields: { [F in keyof T]-?: (value: unknown) => boolean }): Shape<T> {
  const checks = Object.entries<(value: unknown) => boolean>(fields);
  return (value): value is T => isRecord(value) && checks.every(([name, isRight]) => isRight(value[name]));
}

function list<T>(isItem: Shape<T>): Shape<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(isItem);
}

function pair<A, B>(isFirst: Shape<A>, isSecond: Shape<B>): Shape<readonly [A, B]> {
  return (value): value is readonly [A, B] =>
    Array.isArray(value) && value.length === 2 && isFirst(value[0]) && isSecond(value[1]);
}

function oneOf<W extends string>(...words: readonly W[]): Shape<W> {
  return (value): value is W => words.some((word) => word === value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
