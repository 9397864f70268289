/** Bounds the work for a long header; browsers send fewer. */
const MAX_ENTRIES = 50;

/**
 * The entries of a header such as `Accept-Language`, each with its weight (RFC 9110, 12.4.2), in their order. Of a long header the
 * first 50 are read.
 */
export function weightedEntries(header: string): { name: string; weight: number }[] {
  return header.split(',', MAX_ENTRIES).map((entry) => {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim());
    const q = parameters.find((parameter) => /^q=/i.test(parameter));
    return { name, weight: q === undefined ? 1 : Number(q.slice(2)) || 0 };
  });
}

/** The weight of one entry; 0 if none has the name. A wildcard names nothing. */
export function weightIn(header: string, name: string): number {
  return weightedEntries(header.toLowerCase()).find((entry) => entry.name === name)?.weight ?? 0;
}
