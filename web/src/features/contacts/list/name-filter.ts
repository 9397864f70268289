/** The names by which a list finds and sorts a user. */
interface Named {
  readonly name: string;
  readonly username: string;
}

/** Most names and texts are ASCII, and a search compares thousands. */
const ASCII = /^[\0-\x7f]*$/;

/** Of scripts without spaces, in which each character is a word for the service. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}]/u;

/**
 * A text without case, width and accents, which users leave out when they search.
 *
 * @param hidden in place of characters that are not seen
 */
export function fold(text: string, hidden = ''): string {
  const plain = ASCII.test(text)
    ? text
    : text
        .normalize('NFKD')
        .replaceAll(/\p{M}/gu, '')
        .replaceAll(/\p{Cf}/gu, hidden);
  return plain.toLowerCase().replaceAll('ς', 'σ').replaceAll(/\s+/g, ' ').trim();
}

/**
 * Whether a search finds a user: the nickname or the username contains the text, or each of its words starts a word of that name, in
 * any order. The directory of the service finds no one else, as it knows the second rule alone.
 *
 * @param folded the text of the search, as {@link fold} returns it
 */
export function isNamed({ name, username }: Named, folded: string): boolean {
  if (fold(name).includes(folded) || fold(username).includes(folded)) return true;
  return startsWords({ name, username }, folded);
}

/** Whether the username or words of the nickname begin with the text, as most users search. @param folded see {@link isNamed} */
export function beginsWord({ name, username }: Named, folded: string): boolean {
  if (` ${fold(name)}`.includes(` ${folded}`) || fold(username).startsWith(folded)) return true;
  return startsWords({ name, username }, folded);
}

/** Whether each word of the text starts a word of one name. One word alone is contained in it anyway. */
function startsWords({ name, username }: Named, folded: string): boolean {
  const words = toWords(folded).split(' ');
  if (words.length === 1 && words[0] === folded) return false;
  return [name, username].some((one) => {
    const text = toWords(fold(one, ' '));
    return words.every((word) => word !== '' && startsWord(text, word));
  });
}

function toWords(folded: string): string {
  return folded.replaceAll(/[^\p{L}\p{N}]+/gu, ' ').trim();
}

function startsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const [first = ''] = word;
    const before = [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? ' ';
    if (before === ' ' || UNSPACED.test(before) || UNSPACED.test(first)) return true;
  }
  return false;
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
