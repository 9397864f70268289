import { findPhoneNumbers } from './phone-numbers.ts';
import { isWord } from './word-characters.ts';

/** A part of a message: plain text, or a link to an address of the web, a mailbox or a phone. */
type TextPart = { kind: 'text'; text: string } | { kind: 'link'; text: string; href: string };

interface Link {
  readonly index: number;
  readonly text: string;
  readonly href: string;
}

/**
 * What may be a link. Each alternative begins at the beginning of a word, so that no text is searched twice.
 *
 * - An address of the web: up to white space, quotes, brackets, CJK punctuation, and invisible characters: one that changes
 *   the direction of the text would show another address than the one that is opened.
 * - A mail address.
 * - Digits, with what may stand between those of phone numbers, dates and prices; up to the end of a word.
 */
const CANDIDATE =
  /(?<web>\b(?:https?:\/\/|www\.)[^\s<>"'`{}|\\^\p{C}\u2018-\u201f\u3000-\u303f\uff00-\uff65]+)|(?<mail>(?<![\w.+-])[\w.+-]{1,64}@[a-z\d.-]+)|(?<digits>(?<!\d)[+(]{0,2}\d[\d ()./,:\u00a0-]*(?![\w@]))/giu;
const MAX_LENGTH = 2_048;
/** At the end of an address, these belong to the sentence. */
const TRAILING = '.,;:!?…*_~،؛؟';
const CLOSING: Record<string, string> = { ')': '(', ']': '[' };

/**
 * Finds addresses of the web, mail addresses and phone numbers: the schemes `http`, `https`, `mailto` and `tel`, no others.
 * An address with a name or password before the host, which would look like another host, is no link. The texts of all
 * parts joined are `text`.
 */
export function splitLinks(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { index, text: address, href } of findLinks(text)) {
    if (index > end) parts.push({ kind: 'text', text: text.slice(end, index) });
    parts.push({ kind: 'link', text: address, href });
    end = index + address.length;
  }
  if (end < text.length || parts.length === 0) parts.push({ kind: 'text', text: text.slice(end) });
  return parts;
}

function* findLinks(text: string): Generator<Link> {
  for (const { 0: candidate, index, groups } of text.matchAll(CANDIDATE)) {
    if (groups?.digits !== undefined) yield* findPhoneNumbers(text, candidate, index);
    else
      yield* groups?.web === undefined ? findMail(text, candidate, index) : findWeb(text, candidate, index);
  }
}

function* findWeb(text: string, candidate: string, index: number): Generator<Link> {
  const known = candidate.slice(0, wordsLength(candidate));
  const address = known.slice(0, addressLength(known));
  const href = /^www/i.test(address)
    ? wwwHref(text.slice(Math.max(0, index - 1), index), address)
    : safeHref(address);
  if (href !== undefined) yield { index, text: address, href };
}

/** With three labels at least, of which the last is none of digits. */
const WWW_HOST = /^www\.(?:[a-z\d-]+\.)+[a-z][a-z\d-]+$/;

/** @param before the character before the address */
function wwwHref(before: string, address: string): string | undefined {
  if (isWord(before) || /[-.@/\\#%&+~]/.test(before)) return undefined;
  const href = safeHref(`https://${address}`);
  return href !== undefined && WWW_HOST.test(new URL(href).hostname) ? href : undefined;
}

function safeHref(address: string): string | undefined {
  if (address.length > MAX_LENGTH || !URL.canParse(address)) return undefined;
  const { protocol, username, password, href } = new URL(address);
  const isWeb = protocol === 'http:' || protocol === 'https:';
  return isWeb && username === '' && password === '' ? href : undefined;
}

/** The end of a host and the Chinese or Japanese words behind it, as in `example.org吧`; not within a label, as in `org吧.com`. */
const WORDS_AFTER_HOST =
  /(?<=\.(?:[a-z]{2,63}|\d{1,3})(?::\d{1,5})?)[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}][^.]*$/iu;
/** `wiki/中文` is a path; `x谢谢` is a path and a word behind it. */
const WORDS_AFTER_PATH = /(?<=[a-z\d])[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/iu;

/** The length without the words that follow without a space. */
function wordsLength(candidate: string): number {
  const host = /^(?:[a-z]+:\/\/)?[^/?#]*/i.exec(candidate)?.[0] ?? '';
  const afterHost = WORDS_AFTER_HOST.exec(host);
  if (afterHost) return afterHost.index;
  const afterPath = candidate.slice(host.length).search(WORDS_AFTER_PATH);
  return afterPath < 0 ? candidate.length : host.length + afterPath;
}

/** The length without the punctuation of the sentence; a closing bracket stays if it was opened inside. */
function addressLength(candidate: string): number {
  const surplus: Record<string, number> = { ')': 0, ']': 0 };
  for (const [closing, opening] of Object.entries(CLOSING))
    surplus[closing] = candidate.split(closing).length - candidate.split(opening).length;
  let length = candidate.length;
  while (length > 0) {
    const last = candidate.charAt(length - 1);
    const extra = surplus[last];
    if (extra !== undefined && extra > 0) surplus[last] = extra - 1;
    else if (!TRAILING.includes(last)) break;
    length--;
  }
  return length;
}

/** Longer ones are not delivered (RFC 5321, 4.5.3.1). */
const MAX_MAIL = 254;
/** ASCII alone, as the parts of other scripts would look like other addresses. `icon@2x.png` is a file. */
const MAIL =
  /^[A-Za-z\d_]+(?:[.+-]+[A-Za-z\d_]+)*@(?![1-4]x\.)(?:[A-Za-z\d](?:[A-Za-z\d-]{0,61}[A-Za-z\d])?\.)+[A-Za-z]{2,63}$/;

function* findMail(text: string, candidate: string, index: number): Generator<Link> {
  if (candidate.length > MAX_MAIL) return;
  const address = candidate.replace(/^[.+-]+/, '').replace(/[.-]+$/, '');
  const start = index + candidate.indexOf(address);
  const before = text.slice(Math.max(0, index - 1), index);
  const after = text.slice(start + address.length, start + address.length + 3);
  if (!MAIL.test(address) || isWord(before) || /[@/%]/.test(before)) return;
  // `git@example.org:path` is none.
  if (isWord(after.replace(/^[@:/-]/, '')) || after.startsWith('@')) return;
  yield { index: start, text: address, href: `mailto:${address}` };
}
