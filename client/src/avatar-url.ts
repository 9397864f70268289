/**
 * The address from which a client loads the picture of a user: `avatar` as the service sends it, which may be relative to the
 * root of the service (interface 2.1). It shows the user's initials where there is no picture.
 *
 * @param baseUrl the address of the service, as for `createDoorman`
 * @returns absolute, of http or https and without credentials; `undefined` if there is none
 */
export function avatarUrl(avatar: string, baseUrl: string): string | undefined {
  if (avatar === '' || /[\s\p{Cc}]/u.test(avatar)) return undefined;
  const root = `${baseUrl.replace(/\/+$/, '')}/`;
  const url = URL.canParse(avatar, root) ? new URL(avatar, root) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  return url.href;
}
