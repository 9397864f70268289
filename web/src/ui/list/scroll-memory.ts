export const FILTERS = ['all', 'online', 'friends', 'requests'] as const;
export type Filter = (typeof FILTERS)[number];

/** How the list of people was left, for when one comes back to it. */
export interface ListMemory {
  typed: string;
  filter: Filter;
  /** How far each filter's list was scrolled, in pixels. */
  readonly scrolled: Map<Filter, number>;
}

const left = new WeakMap<object, { userId: string; memory: ListMemory }>();

/**
 * Another user finds nothing of the one before.
 *
 * @param people the store whose list it is; the memory goes with it
 */
export function listMemory(people: object, userId: string): ListMemory {
  const known = left.get(people);
  if (known?.userId === userId) return known.memory;
  const memory: ListMemory = { typed: '', filter: 'all', scrolled: new Map() };
  left.set(people, { userId, memory });
  return memory;
}
