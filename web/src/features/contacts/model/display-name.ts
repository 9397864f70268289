/** White space, what cannot be seen, and the letters of no width or ink that Unicode has besides. */
const UNSEEN = /[\p{Z}\p{C}\p{M}\s\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]/gu;

/** What somebody is called: the nickname, or the username where nothing of the nickname could be seen. */
export function displayName({ nickname, username }: { nickname?: string; username: string }): string {
  return nickname !== undefined && nickname.replace(UNSEEN, '') !== '' ? nickname : username;
}
