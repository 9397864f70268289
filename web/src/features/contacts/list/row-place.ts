import { useState } from 'react';

/**
 * The row of a list that was used last. It follows its user when rows appear and disappear above; when the user leaves
 * the list, it is the row in the same place.
 */
export function useRowPlace(
  count: number,
  idAt: (index: number) => string,
): { used: number | undefined; setUsed: (index: number) => void } {
  const [place, setPlace] = useState<{ index: number; id: string }>();
  const setUsed = (index: number) => {
    if (place?.index !== index) setPlace({ index, id: idAt(index) });
  };
  if (!place || count === 0) return { used: undefined, setUsed };
  const index = findRow(place, count, idAt);
  if (index !== place.index || idAt(index) !== place.id) setPlace({ index, id: idAt(index) });
  return { used: index, setUsed };
}

/** The rows on the screen and one more, which stays in the document wherever the list is scrolled. */
export function withRow(rows: number[], row: number | undefined): number[] {
  if (row === undefined || row < 0 || rows.includes(row)) return rows;
  return [...rows, row].sort((one, other) => one - other);
}

/** @param count at least 1 */
export function findRow(
  { index, id }: { index: number; id: string },
  count: number,
  idAt: (index: number) => string,
): number {
  const last = count - 1;
  if (index <= last && idAt(index) === id) return index;
  for (let at = 0; at < count; at++) if (idAt(at) === id) return at;
  return Math.min(index, last);
}
