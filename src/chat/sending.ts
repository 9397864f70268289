import type { Clock } from '../clock.ts';
import { refuseField } from '../http/validation.ts';
import type { Inboxes } from '../inbox/inbox.ts';
import { type Refusal, refuseAbove } from '../limits/local-limits.ts';
import type { RateLimit } from '../limits/sliding-log.ts';
import { pushDueAt } from '../push/decide/pending.ts';
import type { PushServices } from '../push/push-services.ts';
import type { ChatServices } from './chat-services.ts';
import { MessageText, type SendBody, type Stored } from './schemas.ts';

/**
 * Sends a message within the sender's limit (`RATE_LIMIT_MESSAGES`): the `send` frame and its HTTP twin (docs/protocol.md, `send`).
 *
 * @throws {ServiceError} `invalid` for an empty text without a picture; `rate-limited`, word `too_many_messages`; and what
 *   `MessageBatches.send` throws
 */
export async function sendWithinLimit(
  services: SendingServices,
  caller: Caller,
  fields: SendBody,
): Promise<Stored> {
  if (fields.body === '' && fields.picture === undefined) throw refuseField('body', MessageText, '');
  await takeFromLimit(services.chat.messageLimit, caller.userId);
  return sendMessage(services, caller, fields);
}

export interface SendingServices {
  readonly chat: ChatServices;
  readonly clock: Clock;
  readonly push: PushServices;
}

/** The same beyond the sender's limit. @throws {ServiceError} what `MessageBatches.send` throws */
export async function sendMessage(
  { chat: { messages }, clock, push }: SendingServices,
  { userId: from, sessionId }: Caller,
  { to, cid, body, replyTo, picture }: SendBody,
): Promise<Stored> {
  const now = clock.now();
  const pushAt = pushDueAt(now, push.attention.mayBeAttentive(to));
  return messages.send({ from, sessionId, to, cid, body, replyTo, picture, now, pushAt });
}

/** The user of a call, with its session and, over a socket, the name of the device. */
export interface Caller {
  readonly userId: string;
  readonly sessionId: string;
  readonly device?: string;
}

/** A rule that changes messages or a conversation. */
export type ChangeRule<Fields, Answer> = (
  inboxes: Inboxes,
  caller: Caller,
  fields: Fields,
  now: number,
) => Promise<Answer>;

/** The rule as a handler whose calls count in the limit of their user's messages, for a frame and its HTTP twin. */
export function withinLimit<Fields, Answer>(
  { chat, clock, db, events }: { chat: ChatServices; clock: Clock } & Inboxes,
  rule: ChangeRule<Fields, Answer>,
) {
  return async (caller: Caller, fields: Fields): Promise<Answer> => {
    await takeFromLimit(chat.messageLimit, caller.userId);
    return rule({ db, events }, caller, fields, clock.now());
  };
}

/**
 * Counts a call within the limit of its user: by default a message, or a change of one or of a conversation.
 *
 * @throws {ServiceError} `rate-limited`, by default with the word `too_many_messages`
 */
export async function takeFromLimit(
  limit: RateLimit | null,
  userId: string,
  refusal: Refusal = ['too_many_messages', '消息发送过于频繁，请稍后再试'],
): Promise<void> {
  const verdict = limit?.take(userId);
  const judged = verdict instanceof Promise ? await verdict : verdict;
  if (judged) refuseAbove(judged, refusal);
}
