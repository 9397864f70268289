/**
 * Counts the unread messages of a conversation from the events: which messages came, whose they are, and how far the user
 * has read on any device.
 */
export interface UnreadCounter {
  /** The number up to which the user has read. */
  readonly read: number;
  /** How many of the messages after `read` up to `countedTo` are the peer's, as the service counted; which ones is not known. */
  readonly count: number;
  readonly countedTo: number;
  /** The peer's messages after `countedTo`. */
  readonly tail: readonly number[];
  /** The last message by the events. */
  readonly head: number;
}

export const NO_UNREAD: UnreadCounter = { read: 0, count: 0, countedTo: 0, tail: [], head: 0 };

/** From the service's count: `unread` of the messages up to `head`. */
export function startCounter(read: number, head: number, unread: number): UnreadCounter {
  return { read, count: unread, countedTo: head, tail: [], head };
}

export function unreadOf({ count, tail }: UnreadCounter): number {
  return count + tail.length;
}

/** Counts a message of the peer that is new and not read. */
export function countMessage(counter: UnreadCounter, n: number, isOwn: boolean): UnreadCounter {
  if (n <= counter.head) return counter;
  const isUnread = !isOwn && n > counter.read;
  return { ...counter, head: n, tail: isUnread ? [...counter.tail, n] : counter.tail };
}

/** A message of the peer was unsent. */
export function countUnsent(counter: UnreadCounter, n: number): UnreadCounter {
  if (n <= counter.read) return counter;
  if (n <= counter.countedTo) return { ...counter, count: Math.max(0, counter.count - 1) };
  return { ...counter, tail: counter.tail.filter((one) => one !== n) };
}

/** The user has read up to `read`; a lower mark changes nothing. */
export function countRead(counter: UnreadCounter, read: number): UnreadCounter {
  if (read <= counter.read) return counter;
  const tail = counter.tail.filter((n) => n > read);
  if (read >= counter.countedTo)
    return { ...counter, read, count: 0, countedTo: Math.max(read, counter.countedTo), tail };
  // Exact if all or none of them are the peer's, else an upper bound.
  return { ...counter, read, count: Math.min(counter.count, counter.countedTo - read), tail };
}

/** Whether the count after a mark at `read` is only an estimate, as the user's own messages are among the unread ones. */
export function isEstimate(counter: UnreadCounter, read: number): boolean {
  const isBetween = read > counter.read && read < counter.countedTo;
  return isBetween && counter.count > 0 && counter.count < counter.countedTo - counter.read;
}

/** Takes the true count of the peer's messages after `read` up to `countedTo`, unless the user has read further since. */
export function correctCount(counter: UnreadCounter, read: number, count: number): UnreadCounter {
  return counter.read === read ? { ...counter, count } : counter;
}

/** Takes a new count of the service, and adds the messages of later events. */
export function recount(counter: UnreadCounter, read: number, head: number, unread: number): UnreadCounter {
  const fresh = {
    ...startCounter(read, head, unread),
    tail: counter.tail.filter((n) => n > head),
    head: Math.max(head, counter.head),
  };
  return countRead(fresh, counter.read);
}
