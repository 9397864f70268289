import { type Static, Type } from 'typebox';
import { NextPage, PageQuery } from '../http/pages.ts';
import { text } from '../http/validation.ts';

export const BlockBody = Type.Object({ blockedId: text({ minLength: 1 }) });

/** Interface 2.2. */
export const BlockedUser = Type.Object({
  id: Type.String(),
  username: Type.String(),
  avatar: Type.String(),
  create_time: Type.Integer({ description: 'Epoch milliseconds' }),
});
export type BlockedUser = Static<typeof BlockedUser>;

export const BlockedPage = Type.Object({ items: Type.Array(BlockedUser), next: NextPage });
export type BlockedPage = Static<typeof BlockedPage>;

/** Both ours and optional: interface 4.12 shows no parameters and answers everyone. */
export const BlockedQuery = Type.Object(PageQuery);

export interface BlockedRow {
  id: string;
  username: string;
  avatar: string;
  created_at: number;
}

export function toBlockedUser({ id, username, avatar, created_at }: BlockedRow): BlockedUser {
  return { id, username, avatar, create_time: created_at };
}
