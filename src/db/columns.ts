import type { TextFragment } from './db.ts';

/**
 * All columns of a row type, for `select` and `returning`. Never `*`: when a newer version adds a column, PostgreSQL refuses a
 * prepared `*` on every connection of the versions that run already (0A000).
 */
export function columnsOf<Row>(columns: { readonly [Column in keyof Row]-?: true }): TextFragment {
  return { text: Object.keys(columns).join(', ') };
}
