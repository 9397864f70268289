import type { Message, OwnMessage } from 'doorman-client';

/** What an event of the log does to a message. Each kind is absolute: a repeat, or an older text than the known one, changes nothing for long. */
export type ChangeMessage = (message: Message) => Message;

/** What each event of a change says of it. */
export interface ChangeOfMessage {
  readonly peer: string;
  readonly n: number;
  /** Who changed it. */
  readonly by: string;
  /** How many changes the conversation has had with it. */
  readonly revision: number;
}

/** Takes it back. @param unsentAt epoch milliseconds */
export function unsend(unsentAt: number): ChangeMessage {
  return ({ n, from, cid, at }) => ({ n, from, cid, body: '', at, unsentAt });
}

/** Gives it another text. @param editedAt epoch milliseconds */
export function edit(body: string, editedAt: number): ChangeMessage {
  return (message) => (message.unsentAt === undefined ? { ...message, body, editedAt } : message);
}

/** Sets the one reaction of the user `by`. @param emoji empty: none any more */
export function react(by: string, emoji: string): ChangeMessage {
  return (message) => {
    if (message.unsentAt !== undefined) return message;
    const { reactions: before = {}, ...bare } = message;
    const others = Object.entries(before).filter(([user]) => user !== by);
    const reactions = Object.fromEntries(emoji === '' ? others : [...others, [by, emoji]]);
    return Object.keys(reactions).length === 0 ? bare : { ...bare, reactions };
  };
}

/** The emoji of a user; empty without one. An id may be the name of a property that every object has. */
export function reactionOf({ reactions }: Pick<Message, 'reactions'>, userId: string): string {
  return reactions && Object.hasOwn(reactions, userId) ? (reactions[userId] ?? '') : '';
}

/** How long the service lets a message be edited and unsent (docs/protocol.md). */
const CHANGEABLE_MS = 24 * 60 * 60 * 1000;

/** Whether the user can edit and unsend it. @param at when it was stored or written, epoch milliseconds */
export function isChangeable({
  isOwn,
  isUnsent,
  at,
}: {
  isOwn: boolean;
  isUnsent: boolean;
  at: number;
}): boolean {
  return isOwn && !isUnsent && Date.now() - at < CHANGEABLE_MS;
}

/** How the kit names an own message. */
export function nameOf({ n, cid }: { n: number | undefined; cid: string }): OwnMessage {
  return n ?? { cid };
}
