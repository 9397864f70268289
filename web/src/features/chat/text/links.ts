/** A part of a message: plain text, or an address of the web. */
type TextPart = { kind: 'text'; text: string } | { kind: 'link'; text: string; href: string };

/**
 * From the scheme up to white space, quotes, brackets, CJK punctuation, and invisible characters: one that changes the
 * direction of the text would show another address than the one that is opened.
 */
const CANDIDATE = /\bhttps?:\/\/[^\s<>"'`{}|\\^\p{C}\u2018-\u201f\u3000-\u303f\uff00-\uff65]+/giu;
const MAX_LENGTH = 2_048;
/** At the end of an address, these belong to the sentence. */
const TRAILING = '.,;:!?…*_~';
const CLOSING: Record<string, string> = { ')': '(', ']': '[' };

/**
 * Finds addresses of http and https. Other schemes do not become links, nor do addresses with a name or password before
 * the host, which would look like another host. The texts of all parts joined are `text`.
 */
export function splitLinks(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: candidate, index } of text.matchAll(CANDIDATE)) {
    const address = candidate.slice(0, addressLength(candidate));
    const href = safeHref(address);
    if (href === undefined) continue;
    if (index > end) parts.push({ kind: 'text', text: text.slice(end, index) });
    parts.push({ kind: 'link', text: address, href });
    end = index + address.length;
  }
  if (end < text.length || parts.length === 0) parts.push({ kind: 'text', text: text.slice(end) });
  return parts;
}

function safeHref(address: string): string | undefined {
  if (address.length > MAX_LENGTH || !URL.canParse(address)) return undefined;
  const { protocol, username, password, href } = new URL(address);
  const isWeb = protocol === 'http:' || protocol === 'https:';
  return isWeb && username === '' && password === '' ? href : undefined;
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
