import { keptForUser } from '../../../data/kept.ts';
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

export const directoryMemory = keptForUser(
  (): DirectoryMemory => ({ query: { show: 'all', q: '' }, scrolled: new Map(), seenRequests: new Set() }),
);
