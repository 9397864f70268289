/**
 * Far above 253 octets, the longest host name (RFC 1035, 2.3.4), in any spelling. The parser encodes names of other scripts in
 * time that grows with the square of their length.
 */
const MAX_AUTHORITY_LENGTH = 512;

/** The part before the path, where the parser reads a host name. A backslash counts as a slash. */
const AUTHORITY = /^(?:(?:https?|wss?|ftp|file):[/\\]*|[/\\]{2,})([^/\\?#]*)/i;

/**
 * Parses a URL that a caller chose.
 *
 * @param base for a relative reference
 * @returns null for what is no URL, has white space or control characters, or has an authority (credentials, host and port) of more
 *   than {@link MAX_AUTHORITY_LENGTH} characters. The parser silently drops some control characters, so one URL would have many
 *   spellings
 */
export function parseWebUrl(text: string, base?: string): URL | null {
  const [, authority = ''] = AUTHORITY.exec(text) ?? [];
  if (authority.length > MAX_AUTHORITY_LENGTH || /[\s\p{Cc}]/u.test(text)) return null;
  return URL.parse(text, base);
}
