/** What is not known by name is shown as it was told, up to here. */
const MAX_LENGTH = 60;

/**
 * A device's own word for itself, fit to stand in a sentence: any client may send any name, so that nothing of
 * it turns the sentence, or fills the page. Empty if nothing is left.
 */
export function tameDevice(told: string): string {
  const line = told.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  const points = [...line];
  const short = points.length > MAX_LENGTH ? `${points.slice(0, MAX_LENGTH).join('')}…` : line;
  // Between first strong isolate and its end, as in <bdi>, where it might be written from right to left.
  return /^[\p{Script=Latin}\p{Script=Han}\p{Script=Common}]*$/u.test(short) ? short : `\u2068${short}\u2069`;
}
