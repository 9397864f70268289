/** A line of the file; `type` says which other fields it has (docs/export.md). */
export interface Line {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Lines that are read and written together. After an empty page too, others are served. */
export type Pages = AsyncGenerator<readonly Line[], void>;

/** How many rows a statement reads. On SQLite all other requests wait meanwhile. */
export const PAGE_ROWS = 200;

/** The pages of a list, as lines; each page begins after the place that the one before names as `next`. */
export async function* follow<Item, One extends Line>(
  read: (page: { after?: string }) => Promise<{ items: readonly Item[]; next?: string }>,
  toLine: (item: Item) => One,
): AsyncGenerator<readonly One[], void> {
  for (let after: string | undefined; ; ) {
    const { items, next } = await read(after === undefined ? {} : { after });
    yield items.map(toLine);
    if (next === undefined) return;
    after = next;
  }
}
