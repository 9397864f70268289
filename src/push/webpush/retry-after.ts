/** The three forms of an HTTP-date (RFC 9110 5.6.7): IMF-fixdate, RFC 850 and asctime. */
const HTTP_DATE =
  /^(?:[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} [\d:]{8} GMT|[A-Z][a-z]+day, \d{2}-[A-Z][a-z]{2}-\d{2} [\d:]{8} GMT|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4})$/;

/**
 * Reads how long a `Retry-After` asks to wait, in milliseconds: 0 for a past date, `undefined` if it is absent or
 * neither seconds nor a date (RFC 9110 10.2.3), the longest wait of several headers. No more than the next hour has to be exact, so
 * the days and two-digit years are those of `Date.parse`.
 *
 * @param now epoch milliseconds
 */
export function readRetryAfterMs(
  value: string | readonly string[] | undefined,
  now: number,
): number | undefined {
  const waits = [value ?? []].flat().map((one) => readOne(one.trim(), now));
  const known = waits.filter((wait) => wait !== undefined);
  return known.length > 0 ? Math.max(...known) : undefined;
}

function readOne(text: string, now: number): number | undefined {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!HTTP_DATE.test(text)) return undefined;
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
