/** Push services are few, and parsing a URL takes longer than most steps of a push. */
const MAX_REMEMBERED = 1_000;
const origins = new Map<string, string>();

/** The origin of a push service (`https://push.example.net`); empty for what is no URL. */
export function originOf(endpoint: string): string {
  const [start = endpoint] = /^https?:\/\/[^/?#\\]+/i.exec(endpoint) ?? [];
  const known = origins.get(start);
  if (known !== undefined) return known;
  const origin = URL.parse(endpoint)?.origin ?? '';
  if (start === endpoint) return origin;
  if (origins.size >= MAX_REMEMBERED) origins.clear();
  origins.set(start, origin);
  return origin;
}
