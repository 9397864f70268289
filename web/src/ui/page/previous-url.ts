/** The address before the current one in the history; `undefined` in browsers without the Navigation API. */
export function previousUrl(): string | null | undefined {
  const { navigation }: { navigation?: Navigation } = window;
  const index = navigation?.currentEntry?.index;
  return index === undefined ? undefined : navigation?.entries()[index - 1]?.url;
}
