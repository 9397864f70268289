import type { Db, Queries } from '../db/db.ts';
import { inList } from '../db/fragments.ts';
import { CachedTexts } from '../events/cached-texts.ts';
import type { Events } from '../events/hints.ts';

/** Some 400 bytes each. */
const MAX_CACHED_CALLERS = 50_000;

/**
 * Which of `peerIds` and the user are hidden from each other: each of two users must show the other their presence (`who_presence`),
 * or neither sees that of the other. A user always sees their own.
 */
export async function readHiddenAmong(
  db: Queries,
  userId: string,
  peerIds: readonly string[],
): Promise<Set<string>> {
  const rows = await db.all<{ id: string }>`
    select peer.id from users as own join users as peer on peer.id in ${inList(peerIds)}
    where own.id = ${userId} and peer.id <> own.id
      and (own.who_presence <> 'everyone' or peer.who_presence <> 'everyone')
      and (own.who_presence = 'nobody' or peer.who_presence = 'nobody' or coalesce((
        select state from friends where user_id = own.id and peer_id = peer.id), 'none') <> 'friends')`;
  return new Set(rows.map(({ id }) => id));
}

export type SeeingCallers = ReturnType<typeof openSeeingCallers>;

/**
 * Whether a caller sees who is online in answers over HTTP: only if they show everyone when they are. It is remembered until the
 * caller's user changes, so that a call needs no statement for it.
 */
export function openSeeingCallers(db: Db, events: Events) {
  const settings = new CachedTexts(events, {
    maxEntries: 2 * MAX_CACHED_CALLERS,
    read: async (userId) => {
      const row = await db.get<{ who_presence: string }>`
        select who_presence from users where id = ${userId}`;
      return { text: row?.who_presence ?? '', userIds: [userId] };
    },
  });
  return {
    /** `undefined`: not remembered. @param userId undefined without a valid token */
    recall(userId: string | undefined): boolean | undefined {
      const setting = userId === undefined ? 'everyone' : settings.recall(userId);
      return setting === undefined ? undefined : setting === 'everyone';
    },

    async load(userId: string | undefined): Promise<boolean> {
      return this.recall(userId) ?? (userId !== undefined && (await settings.load(userId)) === 'everyone');
    },
  };
}
