import type { PeopleQuery } from './people-address.ts';

/** How the user left the list of people, for when they come back to it. */
interface DirectoryMemory {
  /** What the list showed last. */
  query: PeopleQuery;
  /** How far each list was scrolled, in pixels, by its printed query. */
  readonly scrolled: Map<string, number>;
  /** The users whose friend requests the list has shown. */
  readonly seenRequests: Set<string>;
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
  const memory: DirectoryMemory = {
    query: { show: 'all', q: '' },
    scrolled: new Map(),
    seenRequests: new Set(),
  };
  memories.set(people, { userId, memory });
  return memory;
}
