import { Type } from 'typebox';
import { ServiceError } from '../errors.ts';
import { text } from './validation.ts';

/** Entries of one page, and the most that a request may ask for. */
export const PAGE_ENTRIES = 200;

const MAX_CURSOR_LENGTH = 200;
const AFTER = text({ maxLength: MAX_CURSOR_LENGTH, description: '`next` of the page before' });

/** The fields of a frame that request a page of a list. */
export const PageFields = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_ENTRIES, description: '200 if left out' })),
  after: Type.Optional(AFTER),
};

/** The same for the query of a URL. */
export const PageQuery = {
  limit: Type.Optional(text({ pattern: '^([1-9][0-9]?|1[0-9]{2}|200)$', description: '1 to 200' })),
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

/** Turns a {@link PageQuery} into {@link PageFields}. */
export function toPageRequest({ limit, after }: { limit?: string; after?: string }): PageRequest {
  return { ...(limit !== undefined && { limit: Number(limit) }), ...(after !== undefined && { after }) };
}

/** The position of an entry in a list that is sorted by `at` and then by id, the greatest first. */
export interface Place {
  readonly at: number;
  readonly id: string;
}

/** Before the first entry of every list. */
const START: Place = { at: Number.MAX_SAFE_INTEGER, id: '' };

/**
 * The place after which a page begins.
 *
 * @throws {ServiceError} `invalid`, word `bad_cursor`, for an `after` that no page had as `next`
 */
export function readPlace(after: string | undefined): Place {
  if (after === undefined) return START;
  const plain = Buffer.from(after, 'base64url').toString();
  const [, at, id] = /^(\d{1,15}):([\w-]{0,100})$/.exec(plain) ?? [];
  if (at === undefined || id === undefined || toCursor({ at: Number(at), id }) !== after)
    throw new ServiceError('invalid', 'bad_cursor', '参数 after 不正确');
  return { at: Number(at), id };
}

function toCursor({ at, id }: Place): string {
  return Buffer.from(`${at}:${id}`).toString('base64url');
}

/** Makes a page of rows that were read up to one beyond `limit`. `next` is absent on the last page. */
export function cutPage<Row>(
  rows: readonly Row[],
  limit: number,
  placeOf: (row: Row) => Place,
): { rows: readonly Row[]; next?: string } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return rows.length > limit && last ? { rows: page, next: toCursor(placeOf(last)) } : { rows: page };
}
