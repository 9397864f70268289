/** The names by which a list finds and sorts a user. */
interface Named {
  readonly name: string;
  readonly username: string;
}

/** Whether the username or the nickname starts with `q`, in any case, as the directory of the service searches (docs/protocol.md). */
export function startsWith({ name, username }: Named, q: string): boolean {
  const key = nameKey(q);
  return nameKey(username).startsWith(key) || nameKey(name).startsWith(key);
}

/** Whether a user has no other name than the username: then a second line with it says nothing. */
export function isUsername({ name, username }: Named): boolean {
  return nameKey(name.trim()) === nameKey(username);
}

/** Compares names as the service does; `src/users/names.ts` says why. */
function nameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase().normalize('NFKC').replaceAll('ς', 'σ');
}

/** Sorts by name in the order of the language; users without a known name come last, in the order given. */
export function sortByName<P extends Named>(people: readonly P[], locale: string): P[] {
  const collator = new Intl.Collator(locale, { sensitivity: 'base', numeric: true });
  return people.toSorted((a, b) => {
    if (a.name === '' || b.name === '') return Number(a.name === '') - Number(b.name === '');
    return collator.compare(a.name, b.name) || collator.compare(a.username, b.username);
  });
}
