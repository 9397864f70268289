/** The genders of a profile (interface 2.1); any other text counts as none. */
const GENDERS = ['male', 'female', 'secret'] as const;
type Gender = (typeof GENDERS)[number];

export function findGender(gender: string): Gender | undefined {
  return GENDERS.find((one) => one === gender);
}

/** Removes empty lines around a bio, and all but two of each row of them inside: else a bio could push all other content away. */
export function tidyBio(bio: string): string {
  return bio
    .replace(/^\s*[\n\r\u2028\u2029]|\s+$/gu, '')
    .replace(/(\r\n|[\n\r\u2028\u2029])(\s*(\r\n|[\n\r\u2028\u2029])){3,}/gu, '\n\n\n');
}

/** Code points of a bio that fit into a row. */
const EXCERPT_CODE_POINTS = 120;

/** The beginning of a bio, on one line. */
export function bioExcerpt(bio: string): string {
  // Sliced first, so that a fast scroll does not split a thousand code points for each row.
  const start = bio
    .slice(0, EXCERPT_CODE_POINTS * 2)
    .replace(/\s+/gu, ' ')
    .trim();
  return [...start].slice(0, EXCERPT_CODE_POINTS).join('');
}
