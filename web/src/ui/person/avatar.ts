/** How many colours person-avatar.module.css has. */
const COLORS = 8;

/** The same number, 0 to 7, for the same id wherever it is shown. */
export function avatarColor(id: string): number {
  let hash = 0;
  for (const character of id) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  // Ids of one day differ in few places; their last bits alone would make many alike.
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return ((hash ^ (hash >>> 16)) >>> 0) % COLORS;
}

/**
 * One character of a Chinese, Japanese or Korean name, up to two first letters of others; as a person sees characters, so
 * that an emoji stays whole.
 */
export function initialsOf(name: string): string {
  const shown = name.replace(/\p{Bidi_Control}/gu, '');
  const words = shown.split(/[\s\p{P}\p{Cc}]+/u).filter((word) => word !== '');
  if (words.length === 0) return firstGrapheme(shown.trim());
  const [first = '', second = ''] = words.map(firstGrapheme);
  const isLatinLike = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]/u;
  if (!isLatinLike.test(first) || !isLatinLike.test(second)) return first.toLocaleUpperCase();
  return (first + second).toLocaleUpperCase();
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** What is stacked higher would run over its neighbours. */
const MAX_CODE_POINTS = 8;

function firstGrapheme(word: string): string {
  const [first] = graphemes.segment(word);
  return [...(first?.segment ?? '')].slice(0, MAX_CODE_POINTS).join('');
}

/**
 * The address of a picture if it may be shown: http(s) without credentials, or relative to the page (interface 2.1 says
 * nothing; the service keeps to the same).
 */
export function safeAvatar(avatar: string, base: string): string | undefined {
  if (avatar === '' || /[\s\p{Cc}]/u.test(avatar)) return undefined;
  const url = URL.canParse(avatar, base) ? new URL(avatar, base) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  return url.href;
}
