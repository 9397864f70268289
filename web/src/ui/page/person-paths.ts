/** The page's own places of a person. */
export function profilePath(userId: string): string {
  return `/people/${encodeURIComponent(userId)}`;
}

export function chatPath(userId: string): string {
  return `/chat/${encodeURIComponent(userId)}`;
}

/**
 * Where the arrow of a profile leads: to the chat from which it was opened, else to the list of people.
 *
 * @param before the address before, if the browser tells it
 */
export function wayBack(userId: string, before: string | null | undefined): string {
  const chat = chatPath(userId);
  return before && URL.canParse(before) && new URL(before).pathname === chat ? chat : '/people';
}

/** Browsers without the Navigation API do not say. */
export function addressBefore(): string | null | undefined {
  const { navigation }: { navigation?: Navigation } = window;
  const at = navigation?.currentEntry?.index;
  return at === undefined ? undefined : navigation?.entries()[at - 1]?.url;
}
