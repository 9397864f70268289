/** Code points that a message may have (docs/protocol.md, `send`). */
export const MAX_CODE_POINTS = 4_000;
/** From so many left on the composer says how many. */
const COUNTED_FROM = 200;

/**
 * What is sent of what was written: without white space at its ends, and without what no message may hold, NUL and halves
 * of surrogate pairs. Empty: there is nothing to send.
 */
export function toBody(text: string): string {
  return text.replaceAll('\0', '').toWellFormed().trim();
}

/** How many code points can still be written, below 0 if there are too many; `undefined` while the end is far. */
export function roomLeft(text: string): number | undefined {
  // A string never has more code points than code units: most are short enough not to be counted.
  if (text.length < MAX_CODE_POINTS - COUNTED_FROM) return undefined;
  const left = MAX_CODE_POINTS - [...toBody(text)].length;
  return left <= COUNTED_FROM ? left : undefined;
}

/** As a list or a live region shows it: one line, and not much more than fits into it. */
export function oneLine(body: string, maxLength = 160): string {
  // The slice comes first: white space is looked for in a piece of it only.
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
