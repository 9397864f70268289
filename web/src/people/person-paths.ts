/** The page's own places of a person. */
export function profilePath(userId: string): string {
  return `/people/${encodeURIComponent(userId)}`;
}

export function chatPath(userId: string): string {
  return `/chat/${encodeURIComponent(userId)}`;
}
