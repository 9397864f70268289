/** White space, control and combining characters, and letters without width or ink. */
const INVISIBLE = /[\p{Z}\p{C}\p{M}\s\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]/gu;

/** The nickname, or the username if the nickname is empty or invisible. */
export function displayName({ nickname, username }: { nickname?: string; username: string }): string {
  return nickname !== undefined && nickname.replace(INVISIBLE, '') !== '' ? nickname : username;
}

/** Marks that change the direction of text. A name of one line needs none of them; they only serve to deceive. */
const DIRECTION_MARKS = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu;

/** A name for sentences and labels, without marks that would change the direction of the text around it. */
export function nameInText(name: string): string {
  return name.replaceAll(DIRECTION_MARKS, '').trim() || '…';
}

/** A name as part of plain text: between the characters "first strong isolate" and "pop directional isolate". */
export function isolate(name: string): string {
  return `\u2068${name}\u2069`;
}
