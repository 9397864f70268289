/** Bounds the work for a long header; browsers send fewer. */
const MAX_ENTRIES = 50;

/**
 * The weight of one entry of a header such as `Accept` or `Accept-Encoding` (RFC 9110, 12.4.2); 0 if its first entries do not name
 * it. A wildcard names nothing.
 */
export function weightIn(header: string, name: string): number {
  for (const entry of header.toLowerCase().split(',', MAX_ENTRIES)) {
    const [named, ...parameters] = entry.split(';').map((part) => part.trim());
    if (named !== name) continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return weight === undefined ? 1 : Number(weight.slice(2)) || 0;
  }
  return 0;
}
