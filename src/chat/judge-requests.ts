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
  /**
   * What decides about a message of a stranger, read only where it decides: `who_messages` of the recipient, `friends.state` of the sender in
   * the recipient's list, how many requests of active accounts wait for the recipient, then state, messages and time of the request of the
   * sender, separated by spaces. What there is none of is empty, or 0.
   */
  readonly reach: string | null;
  /**
   * Whether the sender has a request of the recipient, which the message accepts, and what that discloses of the sender's marks: up to which
   * number they received, 0 if that has not risen, and read, separated by a space.
   */
  readonly own_request: string | null;
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
   * @param adds how many messages it adds to a request: none if it only changes one
   * @returns `undefined` if the recipient does not take it
   */
  judge({ from, to, now }: Pair, row: RequestFacts, isFirst: boolean, adds = 1): Passage | undefined {
    if (this.#find(from, to, () => (row.own_request === null ? null : WAITING)))
      return { accepts: { userId: from, peerId: to, ...disclosureOf(row) } };
    const reach = unpackReach(row);
    const request = this.#find(to, from, () => reach.request);
    if (!request && (!isFirst || reach.messages === 'everyone')) return {};
    if (reach.friend === 'friends') return request ? { accepts: { userId: to, peerId: from } } : {};
    if (reach.messages === 'friends') return undefined;
    if (request?.state === 'waiting')
      return request.messages + adds <= MAX_MESSAGES ? { waits: request.messages + adds } : undefined;
    if (request && now - request.at < DECLINED_MS) return undefined;
    // Who asked for friendship wants to hear from them.
    if (reach.friend === 'requested') return {};
    return this.#countWaiting(to, reach) < MAX_WAITING ? { waits: 1 } : undefined;
  }

  /** Records what a message that is stored changes. */
  take({ from, to, now }: Pair, row: RequestFacts, { waits, accepts }: Passage): void {
    if (accepts) this.#changed.set(`${accepts.userId} ${accepts.peerId}`, null);
    if (waits === undefined) return;
    this.#changed.set(`${to} ${from}`, { state: 'waiting', messages: waits, at: now });
    if (waits === 1) this.#waiting.set(to, this.#countWaiting(to, unpackReach(row)) + 1);
  }

  #countWaiting(to: string, { waiting }: Reach): number {
    return this.#waiting.get(to) ?? waiting;
  }

  #find(userId: string, peerId: string, read: () => Request | null): Request | null {
    const changed = this.#changed.get(`${userId} ${peerId}`);
    return changed === undefined ? read() : changed;
  }
}

const WAITING: Request = { state: 'waiting', messages: 0, at: 0 };

interface Reach {
  readonly messages: Privacy['messages'];
  readonly friend: FriendState | '';
  readonly waiting: number;
  readonly request: Request | null;
}

const OPEN: Reach = { messages: 'everyone', friend: '', waiting: 0, request: null };

/** Reads {@link RequestFacts.reach}. */
export function unpackReach({ reach }: Pick<RequestFacts, 'reach'>): Reach {
  if (reach === null) return OPEN;
  const [messages, friend, waiting, state, count, at] = reach.split(' ') as [
    Reach['messages'],
    Reach['friend'],
    string,
    Request['state'] | '',
    string,
    string,
  ];
  const request = state === '' ? null : { state, messages: Number(count), at: Number(at) };
  return { messages, friend, waiting: Number(waiting), request };
}

function disclosureOf({ own_request }: RequestFacts): Pick<Acceptance, 'disclosed'> {
  const [received = 0, read = 0] = own_request?.split(' ').map(Number) ?? [];
  return received === 0 ? {} : { disclosed: { received, read } };
}
