import { ServiceError } from '../errors.ts';

/**
 * The form by which names are compared: two usernames with one key are one name, and a search for the start of a
 * name compares keys. NFKC, lower case, NFKC again (lower case can break it), and the final sigma as any other,
 * since lower case depends on its place. Applying it twice changes nothing.
 */
export function nameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase().normalize('NFKC').replaceAll('ς', 'σ');
}

/**
 * Interface 2.1 gives a username its length only; our choice is that a name can be read and typed: one line, no
 * control, format, private-use or unassigned characters, and no white space at its ends.
 *
 * @throws {ServiceError} `invalid`, word `username_invalid`
 */
export function refuseUnreadableName(username: string): void {
  if (/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|^\s|\s$/u.test(username))
    throw new ServiceError('invalid', 'username_invalid', '用户名包含不支持的字符');
}

/**
 * An avatar is shown as a picture by every client, so it is http(s) without credentials, or a reference relative
 * to the page; it is stored as sent and never fetched by the service (DESIGN 10, promise 8).
 *
 * @throws {ServiceError} `invalid`, word `avatar_invalid`
 */
export function refuseUnsafeAvatar(avatar: string): void {
  if (avatar === '') return;
  const url = /[\s\p{Cc}]/u.test(avatar) ? null : URL.parse(avatar, 'https://page.invalid/');
  const safe = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (!safe) throw new ServiceError('invalid', 'avatar_invalid', '头像地址不正确');
}
