/** White space, control and combining characters, and letters without width or ink. */
const INVISIBLE = /[\p{Z}\p{C}\p{M}\s\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]/gu;

/** The nickname, or the username if the nickname is empty or invisible. */
export function displayName({ nickname, username }: { nickname?: string; username: string }): string {
  return nickname !== undefined && nickname.replace(INVISIBLE, '') !== '' ? nickname : username;
}
