import type { Queries } from '../db/db.ts';
import { asTable } from '../db/fragments.ts';
import { nameKey } from './names.ts';
import type { UserRow } from './schemas.ts';

const MAX_KEYS = 24;
const MAX_KEY_POINTS = 64;

/** A character of a script without spaces between its words, or what stands between two of them and spaces. */
const WORD =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]|[^ \p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]+/gu;
const KEYS = { key: 'text', user_id: 'text' } as const;

/** What decides about a user's keys. */
export type KeyedUser = Pick<UserRow, 'id' | 'username' | 'nickname' | 'status' | 'is_listed'>;
export type KeyedRow = KeyedUser & { readonly keyed_names: string };

/** The key of a name without accents; all that is no letter, mark or digit is one space. Of a name of signs alone it is empty. */
export function foldName(name: string): string {
  const plain = nameKey(name)
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .normalize('NFC');
  return plain.replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim();
}

/** @param folded see {@link foldName} */
export function wordsOf(folded: string): string[] {
  return folded.match(WORD) ?? [];
}

/** Whether each text begins a word of the name, and may go on in the words behind it. Both are folded. */
export function beginWords(texts: readonly string[], folded: string): boolean {
  const starts = Array.from(folded.matchAll(WORD), ({ index }) => index);
  return texts.every((text) => starts.some((start) => folded.startsWith(text, start)));
}

/** The names of a user who is searched by them, as `users.keyed_names` has them; '' of others. No username has a line break. */
export function namesOf({ username, nickname, status, is_listed }: Omit<KeyedUser, 'id'>): string {
  return status === 'deleted' || is_listed === 0 ? '' : `${username}\n${nickname}`;
}

/**
 * The keys of both names: for each word the name from there, then the words before it.
 *
 * @param names see {@link namesOf}
 */
export function nameKeys(names: string): Set<string> {
  const keys = new Set<string>();
  for (const folded of new Set(names.split('\n').map(foldName)))
    for (const { index } of [...folded.matchAll(WORD)].slice(0, MAX_KEYS))
      keys.add(cutKey(`${folded.slice(index)} ${folded.slice(0, index)}`.trim()));
  return keys;
}

/** Whether a key may lack the end of its name. */
export function isCut(key: string): boolean {
  return key.length >= MAX_KEY_POINTS;
}

export function cutKey(folded: string): string {
  return folded.length <= MAX_KEY_POINTS ? folded : [...folded].slice(0, MAX_KEY_POINTS).join('');
}

/**
 * Replaces keys of users whose rows the transaction has locked. `users.keyed_names` is written by the caller.
 *
 * @param changes the names of before and after, see {@link namesOf}
 */
export async function replaceNameKeys(
  tx: Queries,
  changes: readonly Record<'id' | 'from' | 'to', string>[],
): Promise<void> {
  const rowsOf = (side: 'from' | 'to') =>
    changes.flatMap((change) => [...nameKeys(change[side])].map((key) => ({ key, user_id: change.id })));
  const [removed, added] = [rowsOf('from'), rowsOf('to')];
  if (removed.length > 0)
    await tx.run`
      delete from name_keys where (key, user_id) in (select key, user_id from ${asTable(KEYS, removed)} as removed)`;
  if (added.length > 0) await tx.run`insert into name_keys ${asTable(KEYS, added)} on conflict do nothing`;
}

/** Gives a user whose row was written in this transaction the keys of their present names. */
export async function keepNameKeys(tx: Queries, user: KeyedRow): Promise<void> {
  const { id, keyed_names: from } = user;
  const to = namesOf(user);
  if (from === to) return;
  await tx.run`update users set keyed_names = ${to} where id = ${id}`;
  await replaceNameKeys(tx, [{ id, from, to }]);
}
