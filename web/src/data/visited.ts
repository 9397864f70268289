import { readStored, writeStored } from '../stored.ts';

/** The key is that of first-paint.js too. */
const KEY = 'doorman.visited';

/** `in`: a user is signed in in this browser; `out`: one was. */
type Visited = 'in' | 'out';

/** Holds where there is no storage. */
let inMemory: Visited | undefined;

/** Whether any user has been signed in in this browser. */
export function wasVisited(): boolean {
  return read() !== undefined;
}

/** Records that a user is signed in, or no longer. Nothing of the user is stored, so it stays after they sign out. */
export function recordVisit(isSignedIn: boolean): void {
  if (!isSignedIn && !wasVisited()) return;
  inMemory = isSignedIn ? 'in' : 'out';
  if (readStored(KEY) !== inMemory) writeStored(KEY, inMemory);
}

function read(): Visited | undefined {
  const stored = readStored(KEY);
  return stored === 'in' || stored === 'out' ? stored : inMemory;
}
