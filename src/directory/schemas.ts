import { type Static, Type } from 'typebox';
import { columnsOf } from '../db/fragments.ts';
import { USER_ID_PATTERN } from '../db/ids.ts';
import { codeOf } from '../http/envelope.ts';
import { cursor } from '../http/pages.ts';
import { flag, text } from '../http/validation.ts';
import { DirectoryFields } from '../users/profile-fields.ts';

export const MAX_PAGE = 1000;

/** That of earlier versions, of which a search refuses each with `bad_cursor`. Today's have a key of 64 code points and an id. */
const MAX_CURSOR = 1220;

/** All optional and ours: interface 4.6 shows no parameters. */
export const DirectoryQuery = Type.Object({
  q: Type.Optional(
    text({
      minLength: 1,
      maxLength: 64,
      description: 'Words, in any order: each begins a word of the username, or each of the nickname',
    }),
  ),
  online: Type.Optional(flag('1: only users who are online')),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE })),
  after: Type.Optional(cursor(MAX_CURSOR, `^(?:a:${USER_ID_PATTERN}|k:[^:]*:(?:${USER_ID_PATTERN})?)$`)),
});
export type DirectoryQuery = Static<typeof DirectoryQuery>;

export const DirectoryEntry = Type.Object({
  id: Type.String(),
  username: Type.String(),
  ...DirectoryFields,
  isOnline: flag(),
});
export type DirectoryEntry = Static<typeof DirectoryEntry>;

export const DirectoryAnswer = Type.Object({
  code: codeOf(200),
  data: Type.Array(DirectoryEntry),
  next: Type.Optional(Type.String({ description: 'Where the next page starts; absent on the last one' })),
});

/** As it is sent, but `isOnline` says whether everyone may see it. */
export type DirectoryRow = DirectoryEntry;

const { isOnline: _computed, ...columns } = DirectoryEntry.properties;
/** In the order in which they are sent. */
export const DIRECTORY_COLUMNS = {
  text: `${columnsOf<Omit<DirectoryRow, 'isOnline'>>(columns).text}, case when who_presence = 'everyone' then 1 else 0 end as "isOnline"`,
};

/** @param row exactly the {@link DIRECTORY_COLUMNS}: it is copied as it is, since naming each field took twice as long in long lists */
export function toDirectoryEntry(row: DirectoryRow, isOnline: boolean): DirectoryEntry {
  return { ...row, isOnline: isOnline ? row.isOnline : 0 };
}
