import { lockSession } from '../../accounts/session-lookup.ts';
import { inBatches } from '../../db/batches.ts';
import type { Db, Queries } from '../../db/db.ts';
import { newId } from '../../db/ids.ts';
import { ServiceError } from '../../errors.ts';
import { lockUser } from '../../users/users.ts';
import type { Subscription, SubscriptionRow } from '../schemas.ts';

const MAX_CONFIRMED = 20;
const MAX_UNCONFIRMED = 3;
/** How long a subscription with unusable keys stays, for its owner to see. */
const KEEP_UNUSABLE_MS = 7 * 24 * 60 * 60 * 1000;

/** Identifies a subscription as it was read; a subscription that was replaced since has other keys. */
type SubscriptionKey = Pick<SubscriptionRow, 'id' | 'p256dh' | 'auth'>;

interface NewSubscription {
  readonly userId: string;
  readonly subscription: Subscription;
  /** The user's own session, which confirms it; null if the request came without the user's token. */
  readonly sessionId: string | null;
  /** The VAPID public key for new subscriptions, with which the client subscribed. */
  readonly vapidPublic: string;
  readonly device: string;
  /** Of its notifications. */
  readonly language: string;
  readonly now: number;
}

/**
 * Stores a subscription (interface 4.14; what a repeat does is our choice, architecture 10.6). A row is (user, endpoint).
 * Confirming a subscription removes other users' rows of that endpoint that are unconfirmed or have the same keys: a
 * shared browser belongs to the user who signed in last, and only that browser knows its keys.
 *
 * @throws {ServiceError} `not-found` for an unknown user; `forbidden` when a request without the user's token would
 *   change a confirmed subscription; `unauthenticated` when the session ended meanwhile
 */
export async function saveSubscription(db: Db, saving: NewSubscription): Promise<void> {
  const { userId, subscription, sessionId, vapidPublic, device, language, now } = saving;
  const { endpoint, keys } = subscription;
  const id = newId(now);
  await db.transaction(async (tx) => {
    if (!(await lockUser(tx, userId))) throw new ServiceError('not-found', 'user_not_found', 'No such user');
    const stored = await tx.get<SubscriptionKey & Pick<SubscriptionRow, 'session_id'>>`
      select id, p256dh, auth, session_id from push_subscriptions where user_id = ${userId} and endpoint = ${endpoint}`;
    const isReplaced = stored !== undefined && (stored.p256dh !== keys.p256dh || stored.auth !== keys.auth);
    // The lock orders this with the end of the session: it comes before, or removes the subscription too.
    if (sessionId !== null) await lockSession(tx, sessionId);
    else if (stored && stored.session_id !== null) {
      if (!isReplaced) return;
      throw new ServiceError(
        'forbidden',
        'subscription_confirmed',
        'Only its owner can change this subscription',
      );
    }
    if (isReplaced)
      await tx.run`
        update push_subscriptions set p256dh = ${keys.p256dh}, auth = ${keys.auth}, vapid_public = ${vapidPublic},
          unusable_since = null, last_success_at = null, not_before = 0, refusals = 0, refused_since = null
        where id = ${stored.id}`;
    // The same subscription again keeps the VAPID key it was made with (RFC 8292 4) and its refusals.
    await tx.run`
      insert into push_subscriptions (
        id, user_id, endpoint, p256dh, auth, session_id, vapid_public, user_agent, language, created_at, updated_at)
      values (
        ${id}, ${userId}, ${endpoint}, ${keys.p256dh}, ${keys.auth}, ${sessionId}, ${vapidPublic}, ${device}, ${language},
        ${now}, ${now})
      on conflict (user_id, endpoint) do update set session_id = excluded.session_id, user_agent = excluded.user_agent,
        language = excluded.language, updated_at = excluded.updated_at`;
    if (sessionId !== null)
      await tx.run`
        delete from push_subscriptions where endpoint = ${endpoint} and user_id <> ${userId}
          and (session_id is null or (p256dh = ${keys.p256dh} and auth = ${keys.auth}))`;
    await makeRoom(tx, userId, endpoint);
  });
}

/**
 * Removes the oldest subscriptions above the limit, confirmed and unconfirmed ones separately, so that unconfirmed ones
 * never displace confirmed ones. The one just saved counts as the newest even if the clock was set back.
 */
async function makeRoom(tx: Queries, userId: string, saved: string): Promise<void> {
  await tx.run`
    delete from push_subscriptions where id in (
      select id from (
        select id, session_id, row_number() over (partition by session_id is null
          order by case when endpoint = ${saved} then 0 else 1 end, updated_at desc, id desc) as place
        from push_subscriptions where user_id = ${userId}) as placed
      where place > ${MAX_CONFIRMED} or (session_id is null and place > ${MAX_UNCONFIRMED}))`;
}

/** The user's subscriptions, newest first. */
export async function listSubscriptions(db: Queries, userId: string): Promise<SubscriptionRow[]> {
  return db.all<SubscriptionRow>`
    select id, endpoint, p256dh, auth, session_id, vapid_public, user_agent, language, created_at, unusable_since
    from push_subscriptions where user_id = ${userId} order by id desc`;
}

/** @throws {ServiceError} `invalid` if neither is named; `not-found` if the user has no such subscription */
export async function removeSubscription(
  db: Db,
  userId: string,
  named: { id?: string; endpoint?: string },
): Promise<void> {
  const { id = '', endpoint = '' } = named;
  if (id === '' && endpoint === '')
    throw new ServiceError('invalid', 'invalid_field', 'endpoint or id is missing');
  const removed = await db.run`
    delete from push_subscriptions where user_id = ${userId} and (id = ${id} or endpoint = ${endpoint})`;
  if (removed === 0) throw new ServiceError('not-found', 'subscription_not_found', 'No such subscription');
}

/** Removes a subscription that its push service no longer knows. @returns false if it was replaced or removed meanwhile */
export async function removeGone(db: Queries, sent: SubscriptionKey): Promise<boolean> {
  const removed = await db.run`
    delete from push_subscriptions where id = ${sent.id} and p256dh = ${sent.p256dh} and auth = ${sent.auth}`;
  return removed > 0;
}

export async function markUnusable(db: Queries, sent: SubscriptionKey, now: number): Promise<void> {
  await db.run`
    update push_subscriptions set unusable_since = ${now}
    where id = ${sent.id} and p256dh = ${sent.p256dh} and auth = ${sent.auth} and unusable_since is null`;
}

/** Records that the push service accepted a push, which resets the refusals before. */
export async function markSuccess(db: Queries, sent: SubscriptionKey, now: number): Promise<void> {
  await db.run`
    update push_subscriptions set last_success_at = ${now}, not_before = 0, refusals = 0, refused_since = null
    where id = ${sent.id} and p256dh = ${sent.p256dh} and auth = ${sent.auth}`;
}

export async function removeExpired(db: Db, now: number): Promise<void> {
  await inBatches(
    (limit) => db.run`
      delete from push_subscriptions where id in (
        select id from push_subscriptions where unusable_since < ${now - KEEP_UNUSABLE_MS}
        order by unusable_since limit ${limit})`,
  );
}
