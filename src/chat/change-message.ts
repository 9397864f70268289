import { sessionEnded } from '../accounts/session-lookup.ts';
import type { Queries, Tx } from '../db/db.ts';
import { ServiceError } from '../errors.ts';
import { type Append, type Checked, checkThenLock, type Inboxes } from '../inbox/inbox.ts';
import { removePicture } from '../pictures/remove-pictures.ts';
import { notAccepting, refusalBetween } from '../relations/blocks.ts';
import { acceptRequest } from '../relations/message-requests.ts';
import { hashOfText, type MessageFacts } from './judge-messages.ts';
import { type Acceptance, BatchRequests, unpackReach } from './judge-requests.ts';
import { forgetUnread } from './marks.ts';
import type {
  EditBody,
  EditedAnswer,
  ReactBody,
  ReactedAnswer,
  UnsendBody,
  UnsentAnswer,
} from './schemas.ts';
import type { Caller } from './sending.ts';
import { readFacts } from './store-messages.ts';

/** How long a message can be unsent and edited. */
const CHANGEABLE_MS = 24 * 60 * 60 * 1000;
/** Exactly one emoji of Unicode's set for general interchange (UTS 51, ED-27). */
const ONE_EMOJI = /^\p{RGI_Emoji}$/v;

interface Named {
  readonly peer: string;
  readonly n: number;
}

/** The message that is changed. */
interface Target {
  readonly sender_id: string;
  readonly body: string;
  readonly at: number;
  readonly edited_at: number | null;
  readonly unsent_at: number | null;
  readonly low_reaction: string | null;
  readonly high_reaction: string | null;
  readonly picture_id: string | null;
  /** Of the peer's account. */
  readonly peer_status: string;
}

interface Change {
  readonly target: Target;
  /** Whether the peer gets the event: a side that blocks the caller, and a deleted account, do not. */
  readonly reachesPeer: boolean;
  /** The message request that the change accepts. */
  readonly accepts: Acceptance | undefined;
}

/** One kind of change. */
interface Kind<Answer> {
  /** Only the sender of the message may make it; it does not exist for others. */
  readonly isOwn?: true;
  /** Whether it is refused as a message to the peer would be. */
  readonly asksPeer: boolean;
  /** @returns the answer where the message is so already */
  judge(target: Target): Answer | undefined;
  write(tx: Tx, target: Target): Promise<Answer>;
  append(append: Append, userId: string, data: Named & { by: string; revision: number }): Promise<unknown>;
}

/**
 * Takes a message of the caller back: its text and all that belongs to it are removed, the peer's unread count and pending push lose it.
 * Allowed while one blocks the other.
 *
 * @throws {ServiceError} as {@link changeMessage}; `invalid`, word `too_late`, after 24 hours. A repeat gets the first answer
 */
export function unsendMessage(
  inboxes: Inboxes,
  caller: Caller,
  { peer, n }: UnsendBody,
  now: number,
): Promise<UnsentAnswer> {
  return changeMessage(inboxes, caller, { peer, n }, now, {
    isOwn: true,
    asksPeer: false,
    judge({ at, unsent_at: unsentAt }) {
      if (unsentAt !== null) return { peer, n, unsentAt };
      refuseLate(at, now);
      return undefined;
    },
    async write(tx, { picture_id: pictureId }) {
      const [low, high] = pairOf(caller.userId, peer);
      await Promise.all([
        tx.run`
          update messages set body = '', unsent_at = ${now}, reply_to = null, edited_at = null, original_hash = null,
            low_reaction = null, high_reaction = null, picture_id = null
          where low_id = ${low} and high_id = ${high} and n = ${n}`,
        pictureId && removePicture(tx, pictureId, now),
        forgetUnread(tx, { userId: peer, peerId: caller.userId }, n, now),
      ]);
      return { peer, n, unsentAt: now };
    },
    append: (append, userId, data) => append(userId, 'unsent', data),
  });
}

/**
 * Gives a message of the caller another text. It rings nowhere and changes no count.
 *
 * @throws {ServiceError} as {@link changeMessage}; `invalid`, word `message_unsent`, or `too_late` after 24 hours. The text that it
 *   has already is answered without a change
 */
export function editMessage(
  inboxes: Inboxes,
  caller: Caller,
  { peer, n, body }: EditBody,
  now: number,
): Promise<EditedAnswer> {
  return changeMessage(inboxes, caller, { peer, n }, now, {
    isOwn: true,
    asksPeer: true,
    judge(target) {
      refuseUnsent(target);
      if (target.body === body) return { peer, n, editedAt: target.edited_at ?? 0 };
      refuseLate(target.at, now);
      return undefined;
    },
    async write(tx, { body: before }) {
      const [low, high] = pairOf(caller.userId, peer);
      await tx.run`
        update messages set body = ${body}, edited_at = ${now}, original_hash = coalesce(original_hash, ${hashOfText(before)})
        where low_id = ${low} and high_id = ${high} and n = ${n}`;
      return { peer, n, editedAt: now };
    },
    append: (append, userId, data) => append(userId, 'edited', { ...data, body }),
  });
}

/**
 * Sets the caller's one reaction to a message, or removes it. It rings nowhere. The recipient of a message request accepts it so.
 *
 * @throws {ServiceError} as {@link changeMessage}; `invalid`, word `emoji_invalid` or `message_unsent`. The same reaction again
 *   changes nothing
 */
export function reactToMessage(
  inboxes: Inboxes,
  caller: Caller,
  { peer, n, emoji }: ReactBody,
  now: number,
): Promise<ReactedAnswer> {
  const [low, high] = pairOf(caller.userId, peer);
  const column = caller.userId === low ? 'low_reaction' : 'high_reaction';
  return changeMessage(inboxes, caller, { peer, n }, now, {
    asksPeer: true,
    judge(target) {
      if (emoji !== '' && !ONE_EMOJI.test(emoji))
        throw new ServiceError('invalid', 'emoji_invalid', '请选择一个表情');
      refuseUnsent(target);
      return (target[column] ?? '') === emoji ? { peer, n, emoji } : undefined;
    },
    async write(tx, target) {
      const reactions = { ...target, [column]: emoji || null };
      await tx.run`
        update messages set low_reaction = ${reactions.low_reaction}, high_reaction = ${reactions.high_reaction}
        where low_id = ${low} and high_id = ${high} and n = ${n}`;
      return { peer, n, emoji };
    },
    append: (append, userId, data) => append(userId, 'reaction', { ...data, emoji }),
  });
}

/**
 * Changes a message in one transaction behind the logs of both users, after a look without a lock. `revision` of both sides rises by
 * one, and the event is appended to both logs.
 *
 * @throws {ServiceError} in this order: `unauthenticated` when the session ended meanwhile; `not-found`, word `user_not_found` or
 *   `message_not_found`; `forbidden`, as a message to the peer; and what `judge` throws
 */
async function changeMessage<Answer>(
  inboxes: Inboxes,
  caller: Caller,
  { peer, n }: Named,
  now: number,
  kind: Kind<Answer>,
): Promise<Answer> {
  const { userId } = caller;
  const check = async (db: Queries): Promise<Checked<Answer, Change>> => {
    const { facts, target } = await readTarget(db, caller, { peer, n });
    if (!facts.is_session_active) throw sessionEnded();
    if (!target || (kind.isOwn && target.sender_id !== userId))
      throw new ServiceError('not-found', 'message_not_found', '消息不存在');
    const accepts = kind.asksPeer ? judgeReach({ from: userId, to: peer, now }, facts) : undefined;
    const answer = kind.judge(target);
    if (answer !== undefined) return { answer };
    const reachesPeer = !facts.is_blocked && target.peer_status !== 'deleted';
    return { change: { target, reachesPeer, accepts } };
  };
  return checkThenLock(
    inboxes,
    [userId, peer],
    now,
    check,
    async (tx, append, { target, reachesPeer, accepts }) => {
      if (accepts) await acceptRequest(tx, append, accepts.userId, accepts.peerId);
      const [answer, revision] = await Promise.all([
        kind.write(tx, target),
        raiseRevision(tx, userId, peer),
        raiseRevision(tx, peer, userId),
      ]);
      await kind.append(append, userId, { peer, n, by: userId, revision });
      if (reachesPeer) await kind.append(append, peer, { peer: userId, n, by: userId, revision });
      return answer;
    },
  );
}

async function readTarget(db: Queries, { userId, sessionId }: Caller, { peer, n }: Named) {
  const [low, high] = pairOf(userId, peer);
  const [facts, target] = await Promise.all([
    readFacts(db, [{ from: userId, to: peer, cid: '', sessionId }]), // no message has an empty `cid`
    db.get<Target>`
      select sender_id, body, at, edited_at, unsent_at, low_reaction, high_reaction, picture_id,
        (select status from users where id = ${peer}) as peer_status
      from messages where low_id = ${low} and high_id = ${high} and n = ${n}`,
  ]);
  const [row] = facts.values();
  if (!row) throw new Error('nothing was read about a change');
  return { facts: row, target };
}

/**
 * Refuses a change that the peer would not take as a message. A request that waits has room for it, as it adds no message; one that was
 * declined does not begin anew by it.
 *
 * @returns the message request that it accepts
 */
function judgeReach(
  pair: { from: string; to: string; now: number },
  facts: MessageFacts,
): Acceptance | undefined {
  const refused = refusalBetween(facts);
  if (refused) throw refused;
  const passage = new BatchRequests().judge(pair, facts, false, 0);
  if (!passage || (unpackReach(facts).request?.state === 'declined' && !passage.accepts))
    throw notAccepting();
  return passage.accepts;
}

async function raiseRevision(tx: Tx, userId: string, peerId: string): Promise<number> {
  const side = await tx.get<{ revision: number }>`
    update conversations set revision = revision + 1 where user_id = ${userId} and peer_id = ${peerId} returning revision`;
  return side?.revision ?? 0;
}

function refuseLate(at: number, now: number): void {
  if (now - at > CHANGEABLE_MS)
    throw new ServiceError('invalid', 'too_late', '消息发出已超过24小时，无法更改');
}

function refuseUnsent({ unsent_at }: Target): void {
  if (unsent_at !== null) throw new ServiceError('invalid', 'message_unsent', '消息已撤回');
}

function pairOf(one: string, other: string): [low: string, high: string] {
  return one < other ? [one, other] : [other, one];
}
