import { hash } from 'node:crypto';
import { sessionEnded } from '../accounts/session-lookup.ts';
import { ServiceError } from '../errors.ts';
import type { LogEvent, Picture } from '../events/log-events.ts';
import { type FactsBetween, notAccepting, refusalBetween } from '../relations/blocks.ts';
import { requestChange } from '../relations/message-requests.ts';
import { type Acceptance, BatchRequests, type Passage, type RequestFacts } from './judge-requests.ts';
import type { SendBody, Stored } from './schemas.ts';

export interface SentMessage extends Omit<SendBody, 'replyTo' | 'picture'> {
  readonly replyTo?: number | undefined;
  /** The id of its picture. */
  readonly picture?: string | undefined;
  readonly from: string;
  readonly sessionId: string;
  /** Epoch milliseconds, when it was received. */
  readonly now: number;
  /** When a push about it is decided on, unless a device sees it before. */
  readonly pushAt: number;
}

/** The row that decides about a message, read after the inboxes of its batch were locked. */
export type MessageFacts = FactsBetween &
  RequestFacts &
  LastMessage & {
    /**
     * The message that is stored under its sender's `cid`: peer, number, time, `reply_to` and `unsent_at` (0 for null), `original_hash`
     * and `picture_id` ('' for null) and the text, separated by spaces. null if there is none.
     */
    readonly known: string | null;
    readonly is_session_active: 1 | null;
    /** null for an unknown recipient. */
    readonly has_inbox: 1 | null;
  };

/** The conversation's last message; 0 before the first. */
interface LastMessage {
  readonly last_n: number;
  readonly last_at: number;
}

/** A message that is stored under its sender's `cid`. */
export interface KnownMessage {
  readonly known_peer: string;
  readonly known_n: number;
  readonly known_at: number;
  readonly known_body: string;
  readonly known_reply_to: number | null;
  readonly known_unsent_at: number | null;
  /** SHA-256 of its first text, once it was edited. */
  readonly known_original_hash: string | null;
  readonly known_picture_id: string | null;
}

/** A message to be stored, with its places in the conversation and in both logs. */
export interface AcceptedMessage extends SentMessage {
  readonly n: number;
  readonly at: number;
  readonly fromSeq: number;
  readonly toSeq: number;
  /** The picture that becomes that of the message. */
  readonly claimed?: Picture;
  /** How many messages of its request wait with it; `undefined` if it is none of a request. */
  readonly waits?: number;
  /** The request that it accepts. Its events come before those of the message. */
  readonly accepts?: Acceptance;
  /** The row of `changes` of a request that begins to wait or is accepted, from which on the one is hidden from the other or not. */
  readonly change?: { readonly id: string; readonly event: ReturnType<typeof requestChange> };
}

export type Verdict =
  | { readonly accepted: AcceptedMessage }
  /** The answer to a repeat. */
  | { readonly repeated: Stored }
  | { readonly refused: ServiceError }
  /** Another transaction has locked the inbox of this user: retry the message. */
  | { readonly heldBy: string };

/**
 * Judges the messages of a batch in their order, each by itself, as if those accepted before it were stored already: they have
 * taken their `cid` and their numbers.
 *
 * Reasons to refuse, in this order: `unauthenticated` when the session has ended; `invalid`, word `cid_used`, when the `cid` is
 * stored for another recipient or with another body; `invalid` for oneself; `not-found` for an unknown user; `forbidden`, word
 * `unblock_first` when the sender blocks the recipient, `not_accepting` when the recipient blocks the sender, their account is
 * closed, or they do not take messages of this sender (`BatchRequests`); `invalid`, word `reply_unknown`, or `picture_unknown` when the
 * picture is not one of `pictures`, or of a message before it. So a repeat gets its stored answer even after a block.
 *
 * @param facts by the places of the messages
 * @param pictures by the places of the messages, those that they may have
 * @param heads the number of the last event of each inbox that the batch has locked; without an entry it is held by another
 *   transaction
 */
export function judgeMessages(
  messages: readonly SentMessage[],
  facts: ReadonlyMap<number, MessageFacts>,
  heads: ReadonlyMap<string, number>,
  pictures: ReadonlyMap<number, Picture>,
): Verdict[] {
  const seqs = new Map(heads);
  const acceptedByCid = new Map<string, KnownMessage>();
  const lastOfPair = new Map<string, LastMessage>();
  const requests = new BatchRequests();
  const claimed = new Set<string>();

  function takeSeq(userId: string): number {
    const seq = (seqs.get(userId) ?? 0) + 1;
    seqs.set(userId, seq);
    return seq;
  }

  function accept(
    message: SentMessage,
    row: MessageFacts,
    last: LastMessage,
    passage: Passage,
    picture: Picture | undefined,
  ): AcceptedMessage {
    const { from, to, body, replyTo, now } = message;
    if (picture) claimed.add(picture.id);
    requests.take(message, row, passage);
    if (passage.accepts) takeSeq(passage.accepts.userId);
    if (passage.accepts?.disclosed) takeSeq(to);
    const n = last.last_n + 1;
    // Times never run backwards within a conversation, whatever the clock does.
    const at = Math.max(last.last_at, now);
    lastOfPair.set(pairOf(message), { last_n: n, last_at: at });
    acceptedByCid.set(cidOf(message), {
      known_peer: to,
      known_n: n,
      known_at: at,
      known_body: body,
      known_reply_to: replyTo ?? null,
      known_unsent_at: null,
      known_original_hash: null,
      known_picture_id: picture?.id ?? null,
    });
    return {
      ...message,
      ...passage,
      ...changeOf(message, passage),
      ...(picture && { claimed: picture }),
      n,
      at,
      fromSeq: takeSeq(from),
      toSeq: takeSeq(to),
    };
  }

  return messages.map((message, place): Verdict => {
    const row = facts.get(place);
    if (!row) throw new Error('nothing was read about a message');
    if (!row.is_session_active) return { refused: sessionEnded() };
    if (!heads.has(message.from)) return { heldBy: message.from };
    const known = row.known === null ? acceptedByCid.get(cidOf(message)) : unpackKnown(row.known);
    if (known) return answerRepeat(known, message);
    if (message.to === message.from) return refuse('invalid', 'message_self', '不能给自己发消息');
    if (!row.has_inbox) return refuse('not-found', 'user_not_found', '用户不存在');
    if (!heads.has(message.to)) return { heldBy: message.to };
    const refused = refusalBetween(row);
    if (refused) return { refused };
    const last = lastOfPair.get(pairOf(message)) ?? row;
    const passage = requests.judge(message, row, last.last_n === 0);
    if (!passage) return { refused: notAccepting() };
    if ((message.replyTo ?? 0) > last.last_n) return refuse('invalid', 'reply_unknown', '回复的消息不存在');
    const picture = pictures.get(place);
    if (message.picture !== undefined && (!picture || claimed.has(picture.id)))
      return refuse('invalid', 'picture_unknown', '图片不存在');
    return { accepted: accept(message, row, last, passage, picture) };
  });
}

/** Reads {@link MessageFacts.known}. Ids and hashes hold no spaces. */
function unpackKnown(known: string): KnownMessage {
  const head = known.split(' ', 7);
  const [peer = '', n, at, replyTo, unsentAt, originalHash, pictureId] = head;
  return {
    known_peer: peer,
    known_n: Number(n),
    known_at: Number(at),
    known_body: known.slice(head.join(' ').length + 1),
    known_reply_to: Number(replyTo) || null,
    known_unsent_at: Number(unsentAt) || null,
    known_original_hash: originalHash || null,
    known_picture_id: pictureId || null,
  };
}

/** The answer to a repeat is the same as when the message was stored. */
function answerRepeat(known: KnownMessage, message: SentMessage): Verdict {
  if (!isRepeat(known, message)) return refuse('invalid', 'cid_used', '该 cid 已用于另一条消息');
  return { repeated: { peer: message.to, n: known.known_n, at: known.known_at, duplicate: true } };
}

/**
 * Recipient, reply, picture and body are compared, the body code point by code point: any other answer would report an unstored message as stored.
 * The text may have been edited since; of an unsent message only the recipient is left to compare.
 */
export function isRepeat(
  known: Omit<KnownMessage, 'known_n' | 'known_at'>,
  { to, body, replyTo, picture }: Pick<SentMessage, 'to' | 'body' | 'replyTo' | 'picture'>,
): boolean {
  const isSame =
    known.known_unsent_at !== null ||
    ((replyTo ?? null) === known.known_reply_to &&
      (picture ?? null) === known.known_picture_id &&
      (body === known.known_body || hashOfText(body) === known.known_original_hash));
  return to === known.known_peer && isSame;
}

/** The value of `messages.original_hash`: SHA-256, as hexadecimal digits. */
export function hashOfText(body: string): string {
  return hash('sha256', body);
}

function changeOf({ from, to }: SentMessage, { waits, accepts }: Passage): Pick<AcceptedMessage, 'change'> {
  const event = accepts
    ? requestChange(accepts.userId, accepts.peerId, false)
    : waits === 1 && requestChange(to, from, true);
  return event ? { change: { id: crypto.randomUUID(), event } } : {};
}

/** The events of a message in both logs, the sender's first; before them those of a request that it accepts. */
export function eventsOf(accepted: AcceptedMessage) {
  const { from, to, n, at, cid, body, replyTo, claimed, fromSeq, toSeq, waits, accepts } = accepted;
  const events: { userId: string; event: LogEvent }[] = [];
  const add = (userId: string, event: LogEvent) => events.push({ userId, event });
  if (accepts) {
    const { userId, peerId, disclosed } = accepts;
    const seq = (userId === from ? fromSeq : toSeq) - 1;
    add(userId, { seq, at, event: 'message_request', data: { peer: peerId, state: 'accepted' } });
    const data = disclosed && { peer: from, by: from, ...disclosed };
    if (data) add(to, { seq: toSeq - 1, at, event: 'marked', data });
  }
  const message = {
    n,
    from,
    cid,
    body,
    ...(replyTo !== undefined && { replyTo }),
    ...(claimed && { picture: claimed }),
  };
  add(from, { seq: fromSeq, at, event: 'message', data: { peer: to, ...message } });
  const request = waits === undefined ? {} : ({ request: 1 } as const);
  add(to, { seq: toSeq, at, event: 'message', data: { peer: from, ...message, ...request } });
  return events;
}

function refuse(...[kind, word, text]: ConstructorParameters<typeof ServiceError>): Verdict {
  return { refused: new ServiceError(kind, word, text) };
}

// Ids hold no spaces.
const pairOf = ({ from, to }: SentMessage) => (from < to ? `${from} ${to}` : `${to} ${from}`);
const cidOf = ({ from, cid }: SentMessage) => `${from} ${cid}`;
