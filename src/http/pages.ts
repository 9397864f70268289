import { Type } from 'typebox';
import { USER_ID_PATTERN } from '../db/ids.ts';
import { ServiceError } from '../errors.ts';
import { text } from './validation.ts';

/** Entries of one page, and the most that a request may ask for. */
export const PAGE_ENTRIES = 200;

const PLACE = new RegExp(`^([0-9]{1,15}):((?:${USER_ID_PATTERN})?)$`);
const AFTER = cursor(200, PLACE.source);

/** The fields of a query or a frame that request a page of a list. */
export const PageFields = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_ENTRIES, description: '200 if left out' })),
  after: Type.Optional(AFTER),
};

export const NextPage = Type.Optional(
  Type.String({ description: 'Where the next page starts; absent on the last one' }),
);
/** The page includes all events of the log up to this number; only later ones change it. */
export const PageSeq = Type.Integer({ description: 'The event of the log up to which this is true' });

export interface PageRequest {
  readonly limit?: number;
  readonly after?: string;
}

/** The position of an entry in a list that is sorted by `at` and then by id, the greatest first. */
export interface Place {
  readonly at: number;
  readonly id: string;
}

/** The field of a query or a frame that continues a list. Its rule refuses any other text than `pattern` with `bad_cursor`. */
export function cursor(maxLength: number, pattern: string) {
  const description = '`next` of the page before';
  return text({ maxLength, described: text({ maxLength, pattern, description }) });
}

/** A cursor as text, which has a colon. Earlier versions sent it in Base64url, which has none. Empty if it is neither. */
export function plainCursor(after: string): string {
  if (after.includes(':')) return after;
  const plain = Buffer.from(after, 'base64url').toString();
  return Buffer.from(plain).toString('base64url') === after ? plain : '';
}

/**
 * The place after which a page begins.
 *
 * @throws {ServiceError} `invalid`, word `bad_cursor`, for an `after` that no page had as `next`
 */
export function readPlace(after: string | undefined): Place {
  if (after === undefined) return { at: Number.MAX_SAFE_INTEGER, id: '' }; // before the first entry of every list
  const [, at, id] = PLACE.exec(plainCursor(after)) ?? [];
  if (at === undefined || id === undefined) throw badCursor();
  return { at: Number(at), id };
}

/** The refusal of an `after` that no page had as `next`. */
export function badCursor(): ServiceError {
  return new ServiceError('invalid', 'bad_cursor', '参数 after 不正确');
}

/** Makes a page of rows that were read up to one beyond `limit`. `next` is absent on the last page. */
export function cutPage<Row>(
  rows: readonly Row[],
  limit: number,
  placeOf: (row: Row) => Place,
): { items: Row[]; next?: string } {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  if (rows.length <= limit || !last) return { items };
  const { at, id } = placeOf(last);
  return { items, next: `${at}:${id}` };
}
