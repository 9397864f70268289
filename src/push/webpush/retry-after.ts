const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const LONG_DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const [day, longDay, month] = [DAYS, LONG_DAYS, MONTHS].map((names) => `(?:${names.join('|')})`);
const time = '(?<time>\\d{2}:\\d{2}:\\d{2})';
/** The three forms of an HTTP-date (RFC 9110 5.6.7): IMF-fixdate, RFC 850 and asctime. */
const HTTP_DATES = [
  `${day}, (?<date>\\d{2}) (?<month>${month}) (?<year>\\d{4}) ${time} GMT`,
  `${longDay}, (?<date>\\d{2})-(?<month>${month})-(?<year>\\d{2}) ${time} GMT`,
  `${day} (?<month>${month}) (?<date>\\d{2}| \\d) ${time} (?<year>\\d{4})`,
].map((form) => new RegExp(`^${form}$`));

/**
 * Reads how long a `Retry-After` asks to wait, in milliseconds: 0 for a past date, `undefined` if it is absent or
 * neither seconds nor a date (RFC 9110 10.2.3), the longest wait of several headers.
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
  const at = parseHttpDate(text, now);
  return at === undefined ? undefined : Math.max(0, at - now);
}

function parseHttpDate(text: string, now: number): number | undefined {
  const parts = HTTP_DATES.map((form) => form.exec(text)?.groups).find((groups) => groups);
  if (!parts) return undefined;
  const [hours = 0, minutes = 0, seconds = 0] = (parts.time ?? '').split(':').map(Number);
  const [year, date] = [Number(parts.year), Number(parts.date)];
  const inYear = (of: number) =>
    Date.UTC(of, MONTHS.indexOf(parts.month ?? ''), date, hours, minutes, seconds);
  // 60 is a leap second.
  if (hours > 23 || minutes > 59 || seconds > 60) return undefined;
  const found = parts.year?.length === 2 ? inYear(fullYear(year, inYear, now)) : inYear(year);
  const isInMonth = date > 0 && new Date(found - seconds * 1000).getUTCDate() === date;
  return isInMonth ? found : undefined;
}

/** The year of two digits; if that would be more than 50 years ahead, the latest past one (RFC 9110 5.6.7). */
function fullYear(digits: number, inYear: (year: number) => number, now: number): number {
  const latest = new Date(now);
  latest.setUTCFullYear(latest.getUTCFullYear() + 50);
  let year = Math.ceil(latest.getUTCFullYear() / 100) * 100 + digits;
  while (inYear(year) > latest.getTime()) year -= 100;
  return year;
}
