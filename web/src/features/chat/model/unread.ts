/**
 * How many of a conversation's messages are unread, kept right by what the log tells: which messages came, whose they
 * were, and how far the user has read here or elsewhere.
 */
export interface UnreadCounter {
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

export const NO_UNREAD: UnreadCounter = { read: 0, count: 0, countedTo: 0, tail: [], head: 0 };

/** As the service told: `unread` of the messages up to `head`. */
export function startCounter(read: number, head: number, unread: number): UnreadCounter {
  return { read, count: unread, countedTo: head, tail: [], head };
}

export function unreadOf({ count, tail }: UnreadCounter): number {
  return count + tail.length;
}

/** A message came; one that was counted before changes nothing. Own ones raise nothing. */
export function countMessage(counter: UnreadCounter, n: number, isOwn: boolean): UnreadCounter {
  if (n <= counter.head) return counter;
  const isUnread = !isOwn && n > counter.read;
  return { ...counter, head: n, tail: isUnread ? [...counter.tail, n] : counter.tail };
}

/** The user has read up to `read`; marks only go up. */
export function countRead(counter: UnreadCounter, read: number): UnreadCounter {
  if (read <= counter.read) return counter;
  const tail = counter.tail.filter((n) => n > read);
  if (read >= counter.countedTo)
    return { ...counter, read, count: 0, countedTo: Math.max(read, counter.countedTo), tail };
  // Exact where all or none of them are the peer's; else no more than this.
  return { ...counter, read, count: Math.min(counter.count, counter.countedTo - read), tail };
}

/** Whether a mark at `read` leaves a count that is only a guess, as own messages lie between the unread ones. */
export function isEstimate(counter: UnreadCounter, read: number): boolean {
  const isBetween = read > counter.read && read < counter.countedTo;
  return isBetween && counter.count > 0 && counter.count < counter.countedTo - counter.read;
}

/** The true number of the peer's messages after `read` up to `countedTo`, if the user did not read on meanwhile. */
export function correctCount(counter: UnreadCounter, read: number, count: number): UnreadCounter {
  return counter.read === read ? { ...counter, count } : counter;
}

/** What the service says anew, while the log may have told more already. */
export function recount(counter: UnreadCounter, read: number, head: number, unread: number): UnreadCounter {
  const fresh = {
    ...startCounter(read, head, unread),
    tail: counter.tail.filter((n) => n > head),
    head: Math.max(head, counter.head),
  };
  return countRead(fresh, counter.read);
}
