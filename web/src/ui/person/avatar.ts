/** Hues that can be told apart, in degrees of OKLCH: green, yellow, blue, red, violet, olive, pink and teal. */
const HUES = [171, 87, 252, 32, 300, 125, 350, 214];

/** The hue of an id. */
export function avatarHue(id: string): number {
  let hash = 0;
  for (const character of id) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  // Ids of one day differ in few characters: mixing the bits spreads them over all colours.
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return HUES[((hash ^ (hash >>> 16)) >>> 0) % HUES.length] ?? 0;
}

/**
 * The first character of a Chinese, Japanese or Korean name, up to two initials of others. Characters are graphemes, so that
 * an emoji stays whole.
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
/** More combining characters would overlap other rows. */
const MAX_CODE_POINTS = 8;

function firstGrapheme(word: string): string {
  const [first] = graphemes.segment(word);
  return [...(first?.segment ?? '')].slice(0, MAX_CODE_POINTS).join('');
}
