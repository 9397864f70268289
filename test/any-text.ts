// Texts and addresses for properties. fast-check's own unit `binary`, and its paths and URLs, which use it, first make a
// table of all characters: more than a second of processor time in each process.
import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };

/** Every code point except surrogates, which occur in a well-formed text as pairs only. */
const character = fc
  .nat({ max: 0x10ffff - SURROGATES.count })
  .map((index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count));

/**
 * Any well-formed text, also words that mean something to JavaScript, such as `__proto__`.
 *
 * @param bounds lengths in characters
 */
export function anyText(bounds: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.oneof(fc.string({ ...bounds, unit: character }), fc.string(bounds));
}

/** Empty, or segments that each begin with a slash. They have the characters of RFC 3986 3.3, others escaped. */
export function anyPath(): fc.Arbitrary<string> {
  const piece = fc.oneof(fc.constantFrom(...'$&+,;=:@'), anyText({ maxLength: 5 }).map(encodeURIComponent));
  const segment = fc.array(piece, { maxLength: 5 }).map((pieces) => `/${pieces.join('')}`);
  return fc.array(segment).map((segments) => segments.join(''));
}

/** An address with a domain and a path. */
export function anyUrl(...schemes: string[]): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...schemes), fc.webAuthority(), anyPath())
    .map(([scheme, authority, path]) => `${scheme}://${authority}${path}`);
}
