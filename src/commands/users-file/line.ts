import { ServiceError } from '../../errors.ts';
import { BODY_LIMIT_BYTES, parseBody } from '../../http/body.ts';
import { failureOf } from '../../http/errors.ts';
import type { Line } from './jsonl.ts';
import { readBlockLine, readFriendsLine, readMessageLine } from './relation-lines.ts';
import { readUserLine } from './user-line.ts';

/** More than twice what the longest fields take in any escaping. */
export const MAX_LINE_BYTES = BODY_LIMIT_BYTES;

/** The kinds of lines, each by the field that it alone has. A line without any is one of a user, whose name is missing. */
const READERS = {
  username: readUserLine,
  friends: readFriendsLine,
  block: readBlockLine,
  message: readMessageLine,
};
export type LineKind = keyof typeof READERS;
export type Content<Kind extends LineKind = LineKind> = Exclude<
  ReturnType<(typeof READERS)[Kind]>,
  { readonly reason: string }
>;

/** A line of an import, as it was read, or the reason for the operator why it is refused. */
export interface ImportLine {
  readonly number: number;
  readonly kind: LineKind;
  readonly content: Content | { readonly reason: string };
}

export function readImportLine({ number, bytes }: Line): ImportLine {
  let kind: LineKind = 'username';
  const read = () => {
    if (bytes === null) return { reason: `is longer than ${MAX_LINE_BYTES} bytes` };
    const body = parseBody(bytes);
    const [found = kind, other] = KINDS.filter((name) => Object.hasOwn(body, name));
    kind = found;
    return other === undefined ? READERS[kind](body) : { reason: `has both ${kind} and ${other}` };
  };
  try {
    const content = read();
    return { number, kind, content };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { number, kind, content: { reason: reasons[error.word] ?? failureOf(error, true).msg } };
  }
}

const KINDS = Object.keys(READERS) as LineKind[]; // `keys` forgets the names

/** The refusals of the rules in English, for the operator. */
const reasons: Record<string, string> = {
  body_not_utf8: 'is not valid UTF-8',
  body_not_json: 'is not valid JSON',
  body_not_object: 'is not a JSON object',
  body_too_deep: 'is nested too deeply',
  body_bad_text: 'has text with U+0000 or half a surrogate pair',
  id_invalid: 'id must be a text: a letter or digit, then up to 63 of A-Z a-z 0-9 . _ : @ | ~ -',
  username_length: 'username must have 2 to 32 characters',
  username_invalid: 'username has characters that cannot be read, or white space at an end',
  nickname_invalid: 'nickname has characters that cannot be seen, or white space at an end',
  password_too_short: 'password must have at least 6 characters',
  password_too_long: 'password must have at most 128 characters',
  avatar_invalid: 'avatar must be an http or https address without credentials, or relative',
};
