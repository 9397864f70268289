import { ServiceError } from '../errors.ts';
import { parseWebUrl } from '../http/parse/web-url.ts';

/** The code points of the longest key of a username: it has at most 32, and NFKC makes at most 18 of one. */
const MAX_KEY_POINTS = 32 * 18;

/**
 * The form in which names are compared: two usernames with the same key are the same name. The key is the name in NFKC, in lower case, in NFKC again (lower case can break it), with the final sigma
 * as any other sigma (lower case depends on its place). Applying it twice changes nothing.
 */
export function nameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase().normalize('NFKC').replaceAll('ς', 'σ');
}

/**
 * Whether a user may have this name, in any spelling: no spelling is longer than the longest key. Normalization takes time that
 * grows with the square of the length of a name of combining marks, so a name that a caller chose is asked this before {@link nameKey}.
 */
export function isPossibleName(name: string): boolean {
  return (
    name.length <= MAX_KEY_POINTS || (name.length <= 2 * MAX_KEY_POINTS && [...name].length <= MAX_KEY_POINTS)
  );
}

/**
 * The key by which nodes of the version before find a nickname; empty if it equals the username's key, which finds the user already. No
 * statement of this version reads it.
 */
export function searchKey(nickname: string, usernameKey: string): string {
  const key = nameKey(nickname);
  return key === usernameKey ? '' : key;
}

/** Emoji of a keyboard, as whole sequences: with their variation selectors, joiners and tags (UTS 51, ED-27). */
const EMOJI = /\p{RGI_Emoji}/gv;
/** One joiner or non-joiner inside a word, as Persian and the scripts of India write it. */
const JOINER_IN_WORD = /(?<=[\p{L}\p{M}])[\u200c\u200d](?=[\p{L}\p{M}])/gu;
/** U+2800 is the Braille pattern without dots. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\u2800]|^\s|\s$/u;

/**
 * Whether a name has no invisible characters, so that two different names look different: outside emoji and joiners
 * within words, no default-ignorable, control or private-use character, and no white space at its ends (the interface
 * is silent here).
 */
function isFullyVisible(name: string): boolean {
  // Each emoji becomes a visible character, so that the text around it neither joins nor moves to an end of the name.
  return !INVISIBLE.test(name.replace(EMOJI, '+').replace(JOINER_IN_WORD, ''));
}

/**
 * Interface 2.1 gives a username its length only; our choice is that a name can be read and typed: one line, no
 * control, format, private-use, unassigned or invisible characters, and no white space at its ends.
 *
 * @throws {ServiceError} `invalid`, word `username_invalid`
 */
export function refuseUnreadableName(username: string): void {
  if (/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|^\s|\s$/u.test(username) || !isFullyVisible(username))
    throw new ServiceError('invalid', 'username_invalid', '用户名包含不支持的字符');
}

/**
 * A nickname may have any visible characters, also only emoji. An empty one means that the username is shown.
 *
 * @throws {ServiceError} `invalid`, word `nickname_invalid`
 */
export function refuseInvisibleNickname(nickname: string): void {
  if (!isFullyVisible(nickname))
    throw new ServiceError('invalid', 'nickname_invalid', '昵称包含不支持的字符');
}

/**
 * An avatar is shown as a picture by every client, so it is http(s) without credentials, or a reference relative
 * to the root of the service; it is stored as sent and never fetched by the service (README, promise 8).
 *
 * @throws {ServiceError} `invalid`, word `avatar_invalid`
 */
export function refuseUnsafeAvatar(avatar: string): void {
  if (avatar === '') return;
  const url = parseWebUrl(avatar, 'https://page.invalid/');
  const safe = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (!safe) throw new ServiceError('invalid', 'avatar_invalid', '头像地址不正确');
}
