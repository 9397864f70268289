const MAX_LENGTH = 60;

/**
 * The name that a device gave itself, made safe for use in a sentence: any client may send any name, and it must not change
 * the direction of the text or fill the page. Empty if nothing is left.
 */
export function sanitizeDeviceName(name: string): string {
  const line = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  const points = [...line];
  const short = points.length > MAX_LENGTH ? `${points.slice(0, MAX_LENGTH).join('')}…` : line;
  // A name that may be written from right to left goes between FIRST STRONG ISOLATE and its end, as in <bdi>.
  return /^[\p{Script=Latin}\p{Script=Han}\p{Script=Common}]*$/u.test(short) ? short : `\u2068${short}\u2069`;
}
