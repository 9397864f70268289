import type { FriendState } from '../events/log-events.ts';
import { DECLINED_MS, type MessageRequestRow } from '../relations/message-requests.ts';
import type { Privacy } from '../users/privacy.ts';

/** Messages of one stranger that wait at most. */
const MAX_MESSAGES = 5;
/** Strangers that wait for one recipient at most. */
const MAX_WAITING = 50;

type Request = Pick<MessageRequestRow, 'state' | 'messages' | 'at'>;

/** What decides whether a message waits, in the row of {@link MessageFacts}. */
export interface RequestFacts {
  /** Of the recipient; null for an unknown one. */
  readonly who_messages: Privacy['messages'] | null;
  /** The recipient's request of the sender; null if there is none. */
  readonly request_state: Request['state'] | null;
  readonly request_messages: number | null;
  readonly request_at: number | null;
  /** How many requests of active accounts wait for the recipient, and their relation to the sender. Read only where it decides, otherwise null. */
  readonly waiting: number | null;
  readonly friend_state: FriendState | null;
  /** Whether the sender has a request of the recipient, which the message accepts. */
  readonly has_request: 1 | null;
  /** What the message discloses of the sender's marks, if it accepts a request and they have risen. */
  readonly new_received: number | null;
  readonly new_read: number | null;
}

/** What a message does besides being stored: it is among the `waits` messages of a request, or it accepts one. */
export type Passage =
  | { readonly waits?: number; readonly accepts?: undefined }
  | { readonly waits?: undefined; readonly accepts: Acceptance };

/** The request that is accepted, of the message's sender or recipient. */
export interface Acceptance {
  readonly userId: string;
  readonly peerId: string;
  /** What the stranger learns, if it is news: how far the user has received and read. */
  readonly disclosed?: { readonly received: number; readonly read: number };
}

interface Pair {
  readonly from: string;
  readonly to: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The message requests of a batch: as they were read, and as the messages accepted so far ({@link take}) have changed them. */
export class BatchRequests {
  readonly #changed = new Map<string, Request | null>();
  readonly #waiting = new Map<string, number>();

  /**
   * Judges a message that no block and no closed account refuses. Who has a request of the recipient accepts it by writing. A request of
   * the recipient decides before their setting, so it stays one until they answer; without either the conversation is open. Only the
   * first message asks for the setting. The request of a friend, which a node of the version before left, is accepted.
   *
   * @returns `undefined` if the recipient does not take it
   */
  judge(pair: Pair, row: RequestFacts, isFirst: boolean): Passage | undefined {
    const { from, to, now } = pair;
    if (this.#find(from, to, () => (row.has_request ? WAITING : null)))
      return { accepts: { userId: from, peerId: to, ...disclosureOf(row) } };
    const request = this.#find(to, from, () => requestOf(row));
    if (!request && (!isFirst || row.who_messages === 'everyone')) return {};
    if (row.friend_state === 'friends') return request ? { accepts: { userId: to, peerId: from } } : {};
    if (row.who_messages === 'friends') return undefined;
    if (request?.state === 'waiting')
      return request.messages < MAX_MESSAGES ? { waits: request.messages + 1 } : undefined;
    if (request && now - request.at < DECLINED_MS) return undefined;
    // Who asked for friendship wants to hear from them.
    if (row.friend_state === 'requested') return {};
    return this.#countWaiting(to, row) < MAX_WAITING ? { waits: 1 } : undefined;
  }

  /** Records what a message that is stored changes. */
  take({ from, to, now }: Pair, row: RequestFacts, { waits, accepts }: Passage): void {
    if (accepts) this.#changed.set(`${accepts.userId} ${accepts.peerId}`, null);
    if (waits === undefined) return;
    this.#changed.set(`${to} ${from}`, { state: 'waiting', messages: waits, at: now });
    if (waits === 1) this.#waiting.set(to, this.#countWaiting(to, row) + 1);
  }

  #countWaiting(to: string, row: RequestFacts): number {
    return this.#waiting.get(to) ?? row.waiting ?? 0;
  }

  #find(userId: string, peerId: string, read: () => Request | null): Request | null {
    const changed = this.#changed.get(`${userId} ${peerId}`);
    return changed === undefined ? read() : changed;
  }
}

const WAITING: Request = { state: 'waiting', messages: 0, at: 0 };

function requestOf(row: RequestFacts): Request | null {
  const { request_state: state, request_messages, request_at } = row;
  return state && { state, messages: request_messages ?? 0, at: request_at ?? 0 };
}

function disclosureOf({ new_received: received, new_read }: RequestFacts): Pick<Acceptance, 'disclosed'> {
  return received === null ? {} : { disclosed: { received, read: new_read ?? 0 } };
}
