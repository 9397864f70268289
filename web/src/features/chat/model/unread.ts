/**
 * How many of a conversation's messages are unread, kept right by what the log tells: which messages came, whose they
 * were, and how far the user has read here or elsewhere.
 */
export interface Tally {
  /** Up to here the user has read. */
  readonly read: number;
  /** Of the messages after `read` up to `countedTo`, so many are the peer's: the service said so, not which ones. */
  readonly count: number;
  readonly countedTo: number;
  /** The peer's messages after `countedTo`. */
  readonly tail: readonly number[];
  /** The last message that the log told of. */
  readonly head: number;
}

export const NO_TALLY: Tally = { read: 0, count: 0, countedTo: 0, tail: [], head: 0 };

/** As the service told: `unread` of the messages up to `head`. */
export function startTally(read: number, head: number, unread: number): Tally {
  return { read, count: unread, countedTo: head, tail: [], head };
}

export function unreadOf({ count, tail }: Tally): number {
  return count + tail.length;
}

/** A message came; one that was counted before changes nothing. Own ones raise nothing. */
export function countMessage(tally: Tally, n: number, isOwn: boolean): Tally {
  if (n <= tally.head) return tally;
  const isUnread = !isOwn && n > tally.read;
  return { ...tally, head: n, tail: isUnread ? [...tally.tail, n] : tally.tail };
}

/** The user has read up to `read`; marks only go up. */
export function countRead(tally: Tally, read: number): Tally {
  if (read <= tally.read) return tally;
  const tail = tally.tail.filter((n) => n > read);
  if (read >= tally.countedTo)
    return { ...tally, read, count: 0, countedTo: Math.max(read, tally.countedTo), tail };
  // Exact where all or none of them are the peer's; else no more than this.
  return { ...tally, read, count: Math.min(tally.count, tally.countedTo - read), tail };
}

/** Whether a mark at `read` leaves a count that is only a guess, as own messages lie between the unread ones. */
export function wouldGuess(tally: Tally, read: number): boolean {
  const isBetween = read > tally.read && read < tally.countedTo;
  return isBetween && tally.count > 0 && tally.count < tally.countedTo - tally.read;
}

/** The true number of the peer's messages after `read` up to `countedTo`, if the user did not read on meanwhile. */
export function correctCount(tally: Tally, read: number, count: number): Tally {
  return tally.read === read ? { ...tally, count } : tally;
}

/** What the service says anew, while the log may have told more already. */
export function recount(tally: Tally, read: number, head: number, unread: number): Tally {
  const fresh = {
    ...startTally(read, head, unread),
    tail: tally.tail.filter((n) => n > head),
    head: Math.max(head, tally.head),
  };
  return countRead(fresh, tally.read);
}
