/** Code points that a message may have (docs/protocol.md, `send`). */
const MAX_CODE_POINTS = 4_000;
/** The composer shows how many code points are left from this number on. */
const SHOWN_FROM = 200;

/**
 * The body to send for a draft: without white space at its ends, and without NUL and halves of surrogate pairs, which no
 * message may contain. Empty: there is nothing to send.
 */
export function toBody(text: string): string {
  return text.replaceAll('\0', '').toWellFormed().trim();
}

/** How many more code points fit, below 0 if there are too many; `undefined` while there is much room. */
export function roomLeft(text: string): number | undefined {
  // A string has no more code points than code units, so most drafts need no count.
  if (text.length < MAX_CODE_POINTS - SHOWN_FROM) return undefined;
  const left = MAX_CODE_POINTS - [...toBody(text)].length;
  return left <= SHOWN_FROM ? left : undefined;
}

/** The same of a message that may have a picture. @param label what says so, with the caption if there is one */
export function excerpt(
  { body, picture }: { body: string; picture?: object | undefined },
  label: (caption: string) => string,
): string {
  const line = oneLine(body);
  return picture ? label(line) : line;
}

/** The beginning of a message on one line, for lists and live regions. */
export function oneLine(body: string, maxLength = 160): string {
  // Sliced first, so that only a part is searched for white space.
  const line = body
    .slice(0, maxLength * 4)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return line.length <= maxLength
    ? line
    : `${line
        .slice(0, maxLength)
        .toWellFormed()
        .replace(/\ufffd$/u, '')}…`;
}
