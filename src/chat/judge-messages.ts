import { sessionEnded } from '../accounts/session-lookup.ts';
import { ServiceError } from '../errors.ts';
import { refusalBetween } from '../relations/blocks.ts';
import type { SendBody, Stored } from './schemas.ts';

export interface SentMessage extends SendBody {
  readonly from: string;
  readonly sessionId: string;
  /** Epoch milliseconds, when it was received. */
  readonly now: number;
}

/** The rows that decide about a message, read after the inboxes of its batch were locked. */
export interface MessageFacts {
  readonly isSessionActive: boolean;
  /** The message that the sender stored under this `cid`, if any. */
  readonly known: KnownMessage | undefined;
  readonly isRecipientKnown: boolean;
  /** False for a suspended or deleted account. */
  readonly isRecipientActive: boolean;
  readonly hasBlocked: boolean;
  /** Whether the recipient blocks the sender. */
  readonly isBlocked: boolean;
  /** The number and the time of the conversation's last message; 0 before the first. */
  readonly last: { readonly n: number; readonly at: number };
}

/** A message that is stored under its sender's `cid`. */
export interface KnownMessage {
  readonly peer: string;
  readonly n: number;
  readonly at: number;
  readonly body: string;
}

/** A message to be stored, with its places in the conversation and in both logs. */
export interface AcceptedMessage extends SentMessage {
  readonly n: number;
  readonly at: number;
  /** The time of the conversation's message before; 0 for the first. */
  readonly previousAt: number;
  readonly fromSeq: number;
  readonly toSeq: number;
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
 */
export class MessageJudge {
  readonly #heads: ReadonlyMap<string, number>;
  readonly #seqs = new Map<string, number>();
  readonly #acceptedByCid = new Map<string, KnownMessage>();
  readonly #lastOfPair = new Map<string, MessageFacts['last']>();

  /**
   * @param heads the number of the last event of each inbox that the batch has locked; without an entry it is held by another
   *   transaction
   */
  constructor(heads: ReadonlyMap<string, number>) {
    this.#heads = heads;
  }

  /**
   * Reasons to refuse, in this order: `unauthenticated` when the session has ended; `invalid`, word `cid_used`, when the `cid` is
   * stored for another recipient or with another body; `invalid` for oneself; `not-found` for an unknown user; `forbidden`, word
   * `unblock_first` when the sender blocks the recipient, `not_accepting` when the recipient blocks the sender or their account is
   * closed. So a repeat gets its stored answer even after a block.
   */
  judge(message: SentMessage, facts: MessageFacts): Verdict {
    if (!facts.isSessionActive) return { refused: sessionEnded() };
    if (!this.#heads.has(message.from)) return { heldBy: message.from };
    const known = facts.known ?? this.#acceptedByCid.get(cidOf(message));
    if (known) return answerRepeat(known, message);
    if (message.to === message.from) return refuse('invalid', 'message_self', '不能给自己发消息');
    if (!facts.isRecipientKnown) return refuse('not-found', 'user_not_found', '用户不存在');
    if (!this.#heads.has(message.to)) return { heldBy: message.to };
    const refused = refusalBetween(facts);
    if (refused) return { refused };
    return { accepted: this.#accept(message, this.#lastOfPair.get(pairOf(message)) ?? facts.last) };
  }

  #accept(message: SentMessage, last: MessageFacts['last']): AcceptedMessage {
    const { from, to, body, now } = message;
    const n = last.n + 1;
    // Times never run backwards within a conversation, whatever the clock does.
    const at = Math.max(last.at, now);
    this.#lastOfPair.set(pairOf(message), { n, at });
    this.#acceptedByCid.set(cidOf(message), { peer: to, n, at, body });
    return { ...message, n, at, previousAt: last.at, fromSeq: this.#takeSeq(from), toSeq: this.#takeSeq(to) };
  }

  #takeSeq(userId: string): number {
    const seq = (this.#seqs.get(userId) ?? this.#heads.get(userId) ?? 0) + 1;
    this.#seqs.set(userId, seq);
    return seq;
  }
}

/**
 * The answer to a repeat is the same as when the message was stored. Recipient and body are compared code point by code
 * point: any other answer would report an unstored message as stored.
 */
function answerRepeat({ peer, n, at, body }: KnownMessage, message: SentMessage): Verdict {
  if (message.to !== peer || message.body !== body)
    return refuse('invalid', 'cid_used', '该 cid 已用于另一条消息');
  return { repeated: { peer, n, at, duplicate: true } };
}

function refuse(...[kind, word, text]: ConstructorParameters<typeof ServiceError>): Verdict {
  return { refused: new ServiceError(kind, word, text) };
}

// Ids hold no spaces.
const pairOf = ({ from, to }: SentMessage) => (from < to ? `${from} ${to}` : `${to} ${from}`);
const cidOf = ({ from, cid }: SentMessage) => `${from} ${cid}`;
