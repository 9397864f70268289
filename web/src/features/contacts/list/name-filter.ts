/** What of a person's names a list compares. */
export interface Named {
  readonly name: string;
  readonly username: string;
}

/** The service takes no more, and no name is longer. */
const MAX_Q = 64;

/** What the search field means: `@ada`, as the page itself shows usernames, is `ada`. */
export function searchText(typed: string): string {
  return [...typed.trim().replace(/^@(?=.)/u, '')].slice(0, MAX_Q).join('').trim();
}

/** As the service searches its directory (docs/protocol.md): the username or the nickname starts so, whatever the case. */
export function startsWith({ name, username }: Named, q: string): boolean {
  const key = nameKey(q);
  return nameKey(username).startsWith(key) || nameKey(name).startsWith(key);
}

/** The service's own way to compare names; `src/users/names.ts` says why. */
function nameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase().normalize('NFKC').replaceAll('ς', 'σ');
}

/** By name as the language sorts; who has none yet comes last, in the order given. */
export function sortByName<P extends Named>(people: readonly P[], locale: string): P[] {
  const collator = new Intl.Collator(locale, { sensitivity: 'base', numeric: true });
  return people.toSorted((a, b) => {
    if (a.name === '' || b.name === '') return Number(a.name === '') - Number(b.name === '');
    return collator.compare(a.name, b.name) || collator.compare(a.username, b.username);
  });
}
