/** Chinese, Japanese and Korean put no space between a word and an address. */
const WITHOUT_SPACES = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u;
const WORD = /^[\p{L}\p{M}\p{N}_]/u;

/**
 * Whether a text begins with a character that would be a part of an address beside it, so that what looks like an address
 * is a part of something else. Empty: no.
 */
export function isWord(text: string): boolean {
  return WORD.test(text) && !WITHOUT_SPACES.test(text);
}
