const MAX_PARTS = 8;

/**
 * Characters that `toLowerCase` and a `lower` which folds ASCII alone leave alike: ASCII, and what has no case. Without K and I, which also come
 * of U+212A (the Kelvin sign) and, followed by U+0307, of U+0130; an I that something else follows comes of no other character.
 */
const FOLDED_ALIKE = /(?:[[\0-\x7f\P{Cased}]--[ik\u0307]]|i(?!\u0307|$))+/gv;

/** What is searched for: each part occurs in a message that is found, both in lower case. */
export interface SearchParts {
  readonly parts: readonly string[];
  /** The longest text that is in `lower(body)` of each such message, whatever `lower` folds beyond ASCII; '' if there is none. */
  readonly filter: string;
}

/** @param q has more than white space; parts beyond the eighth are ignored */
export function readParts(q: string): SearchParts {
  const parts = q.trim().toLowerCase().split(/\s+/, MAX_PARTS);
  const pieces = parts.flatMap((part) => part.match(FOLDED_ALIKE) ?? []);
  return { parts, filter: pieces.reduce((one, other) => (other.length > one.length ? other : one), '') };
}

export function holdsAll({ parts }: SearchParts, body: string): boolean {
  const folded = body.toLowerCase();
  return parts.every((part) => folded.includes(part));
}
