/** Stands for the inserted part; no text of the page has it. */
const PLACEHOLDER = '\ufffc';

/** The parts of a sentence before and after what is inserted, so that an element can be put between them. */
export function splitSentence(of: (inserted: string) => string): readonly [before: string, after: string] {
  const [before = '', ...after] = of(PLACEHOLDER).split(PLACEHOLDER);
  return [before, after.join('')];
}
