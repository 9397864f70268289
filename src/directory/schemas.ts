import { type Static, Type } from 'typebox';
import { text } from '../http/validation.ts';

/** All optional and ours: interface 4.6 shows no parameters. */
export const DirectoryQuery = Type.Object({
  q: Type.Optional(text({ minLength: 1, maxLength: 64, description: 'How the username or nickname starts' })),
  online: Type.Optional(Type.Union([Type.Literal('0'), Type.Literal('1')])),
  limit: Type.Optional(text({ pattern: '^([1-9][0-9]{0,2}|1000)$', description: '1 to 1000' })),
  after: Type.Optional(text({ maxLength: 1000, description: '`next` of the answer before' })),
});
export type DirectoryQuery = Static<typeof DirectoryQuery>;

export const DirectoryEntry = Type.Object({
  id: Type.String(),
  username: Type.String(),
  avatar: Type.String(),
  nickname: Type.String(),
  gender: Type.String(),
  bio: Type.String(),
  isOnline: Type.Integer(),
});
export type DirectoryEntry = Static<typeof DirectoryEntry>;

export const DirectoryAnswer = Type.Object({
  code: Type.Literal(200),
  data: Type.Array(DirectoryEntry),
  next: Type.Optional(Type.String({ description: 'Where the next page starts; absent on the last one' })),
});

export interface DirectoryRow {
  id: string;
  username: string;
  avatar: string;
  nickname: string;
  gender: string;
  bio: string;
}

export function toDirectoryEntry(row: DirectoryRow, isOnline: boolean): DirectoryEntry {
  const { id, username, avatar, nickname, gender, bio } = row;
  return { id, username, avatar, nickname, gender, bio, isOnline: isOnline ? 1 : 0 };
}
