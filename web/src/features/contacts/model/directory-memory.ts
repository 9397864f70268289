export const FILTERS = ['all', 'online', 'friends', 'requests'] as const;
export type Filter = (typeof FILTERS)[number];

/** How the user left the list of people, for when they come back to it. */
interface DirectoryMemory {
  /** What is in the search field. */
  typed: string;
  filter: Filter;
  /** How far each filter's list was scrolled, in pixels. */
  readonly scrolled: Map<Filter, number>;
}

const memories = new WeakMap<object, { userId: string; memory: DirectoryMemory }>();

/**
 * The memory of this user; another user starts with an empty one.
 *
 * @param people the store that the list shows; the memory is dropped with it
 */
export function directoryMemory(people: object, userId: string): DirectoryMemory {
  const known = memories.get(people);
  if (known?.userId === userId) return known.memory;
  const memory: DirectoryMemory = { typed: '', filter: 'all', scrolled: new Map() };
  memories.set(people, { userId, memory });
  return memory;
}
