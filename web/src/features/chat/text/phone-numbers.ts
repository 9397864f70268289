import { isWord } from './word-characters.ts';

interface PhoneNumber {
  readonly index: number;
  readonly text: string;
  readonly href: string;
}

/** No phone number is longer, with all that stands between its digits. */
const MAX_LENGTH = 32;
/** Between two numbers; within one there is a single character. */
const BETWEEN = /([.,:] +| [/-] | {2,})/;

/** `+49 30 123456`, `+49 (0)30 123456`, `+1 (212) 555-0123`, `+33 6 12 34 56 78`. */
const INTERNATIONAL = /^\+[1-9]\d*(?: ?\(\d{1,5}\) ?\d+)?(?:[ \u00a0./-]\d+)?(?:[ \u00a0./-]\d{2,})*$/;
/** A large number: `+1.000.000`. */
const THOUSANDS = /^\+\d{1,3}(?:\.\d{3})+$/;
/** North America: `(212) 555-0123`, `212-555-0123`. */
const NORTH_AMERICAN = /^(?:\([2-9]\d\d\) ?|(?:1-)?[2-9]\d\d-)[2-9]\d\d-\d{4}$/;
/** A mobile phone of China: `138 0013 8000`. */
const CHINESE_MOBILE = /^1[3-9]\d([ -])\d{4}\1\d{4}$/;
/** With the 0 of a long-distance call: `030 1234567`, `010-65529988`, `(020) 7946 0958`, `06 12 34 56 78`. */
const LONG_DISTANCE =
  /^(?:\(0[1-9]\d{0,3}\)[ /-]?|0[1-9]\d{0,3}[ /-])\d{2,8}(?:([ -])\d{2,4}(?:\1\d{2,4})*)?$/;
const DATE = /^\d\d[ /-]\d\d[ /-](?:19|20)\d\d/;

/** Before the number of something else: an order, an account, a price. */
const OTHER_BEFORE =
  /(?:[#№$€£¥₹=&%\\/_@-]|\b(?:no|nr|(?:order|invoice|ticket)(?: number)?|ref|id)[.:]? ?|(?:单号|编号|订单|账号|卡号|单號|編號|訂單)[:： ]*)$/iu;
/** A unit after it. */
const UNIT_AFTER = /^\s?(?:[%‰€$£¥₹°元円원]|(?:eur|usd|gbp|chf|cny|rmb|jpy)\b)/iu;

/**
 * The phone numbers among digits: those in the international form, with `+` and 8 digits at least, and national ones in the
 * grouping of phone numbers alone. Dates, prices and other numbers are not; in doubt a number is none.
 *
 * @param run digits with what stands between them
 * @param start where in `text` it is
 */
export function* findPhoneNumbers(text: string, run: string, start: number): Generator<PhoneNumber> {
  let end = start;
  for (const piece of run.split(BETWEEN)) {
    const index = end;
    end += piece.length;
    if (piece.length > MAX_LENGTH) continue;
    const bare = piece.replace(/\D+$/, '');
    // A bracket that ends behind the number.
    const isOpen = bare.startsWith('(') && bare.split('(').length > bare.split(')').length;
    const number = isOpen ? bare.slice(1) : bare;
    const at = index + bare.length - number.length;
    const href = toHref(number);
    if (href === undefined || isOther(text.slice(Math.max(0, at - 16), at))) continue;
    if (!isContinued(text.slice(index + bare.length, index + bare.length + 6)))
      yield { index: at, text: number, href };
  }
}

function isOther(before: string): boolean {
  return isWord(before.slice(-1)) || OTHER_BEFORE.test(before);
}

function isContinued(after: string): boolean {
  return isWord(after.replace(/^[-_.,:/@#&=+~]/, '')) || UNIT_AFTER.test(after);
}

function toHref(number: string): string | undefined {
  // The 0 in brackets is not dialled from abroad.
  const plain = number.replace(/^\((\+\d{1,3})\)/, '$1').replace(/^(\+\d{1,3} ?)\(0\)/, '$1');
  const digits = plain.replaceAll(/\D/g, '');
  const { length } = digits;
  if (INTERNATIONAL.test(plain))
    return length >= 8 && length <= 15 && !THOUSANDS.test(plain) ? `tel:+${digits}` : undefined;
  if (NORTH_AMERICAN.test(plain) || CHINESE_MOBILE.test(plain)) return `tel:${digits}`;
  const isNational = LONG_DISTANCE.test(plain) && length >= 9 && length <= 12 && !DATE.test(plain);
  return isNational ? `tel:${digits}` : undefined;
}
