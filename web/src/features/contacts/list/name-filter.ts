/** The names by which a list finds and sorts a user. */
interface Named {
  readonly name: string;
  readonly username: string;
}

/** Most names and texts are ASCII, and a search compares thousands. */
const ASCII = /^[\0-\x7f]*$/;

/** A text without case, width and accents, which users leave out when they search. */
export function fold(text: string): string {
  const plain = ASCII.test(text) ? text : text.normalize('NFKD').replaceAll(/[\p{M}\p{Cf}]/gu, '');
  return plain.toLowerCase().replaceAll('ς', 'σ').replaceAll(/\s+/g, ' ').trim();
}

/**
 * Whether a search finds a user: the nickname or the username contains the text. The directory of the service finds no one else,
 * as it compares the start of names, and counts accents.
 *
 * @param folded the text of the search, as {@link fold} returns it
 */
export function isNamed({ name, username }: Named, folded: string): boolean {
  return fold(name).includes(folded) || fold(username).includes(folded);
}

/** Whether the username or a word of the nickname begins with the text, as most users search. @param folded see {@link isNamed} */
export function beginsWord({ name, username }: Named, folded: string): boolean {
  return ` ${fold(name)}`.includes(` ${folded}`) || fold(username).startsWith(folded);
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
