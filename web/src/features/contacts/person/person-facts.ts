/** The genders that a profile names (interface 2.1); whatever else stands there says nothing. */
export const GENDERS = ['male', 'female', 'secret'] as const;
export type Gender = (typeof GENDERS)[number];

export function findGender(gender: string): Gender | undefined {
  return GENDERS.find((one) => one === gender);
}

/** What is longer is folded at first, so that the acts below stay in reach. */
const MAX_LINES = 10;
const MAX_CHARACTERS = 480;

/** Without empty lines around it, and with two at most inside: a bio of them alone would push all else away. */
export function tidyBio(bio: string): string {
  return bio
    .replace(/^\s*[\n\r\u2028\u2029]|\s+$/gu, '')
    .replace(/(\r\n|[\n\r\u2028\u2029])(\s*(\r\n|[\n\r\u2028\u2029])){3,}/gu, '\n\n\n');
}

export function isLongBio(bio: string): boolean {
  return bio.length > MAX_CHARACTERS || bio.split(/\r\n|[\n\r\u2028\u2029]/u).length > MAX_LINES;
}
