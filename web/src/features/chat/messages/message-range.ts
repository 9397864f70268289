import type { Message } from 'doorman-client';

/** Messages of a conversation without gaps, oldest first. */
export interface MessageRange {
  readonly messages: readonly Message[];
  readonly hasOlder: boolean;
  /** Messages that those of the range answer, and that are not among them. */
  readonly quoted: readonly Message[];
  /** How many changes of the conversation's messages the range has. */
  readonly revision: number;
}

export const NO_MESSAGES: MessageRange = { messages: [], hasOlder: false, quoted: [], revision: 0 };

/** The number of its last message; 0 for an empty one. */
export function endOf({ messages }: MessageRange): number {
  return messages.at(-1)?.n ?? 0;
}

/**
 * With those of `more` that follow without a gap; what is in it already is left out. Of messages out of order, such as 6
 * before 5, all have to be given together.
 */
export function append(range: MessageRange, more: Iterable<Message>): MessageRange {
  let end = endOf(range);
  const added: Message[] = [];
  for (const message of [...more].sort((one, other) => one.n - other.n)) {
    if (message.n !== end + 1) continue;
    added.push(message);
    end = message.n;
  }
  return added.length === 0 ? range : { ...range, messages: [...range.messages, ...added] };
}

/** With an older page, which has to end right before it; one that does not is not taken. */
export function prepend(range: MessageRange, older: readonly Message[], hasOlder: boolean): MessageRange {
  const [first] = range.messages;
  const last = older.at(-1);
  if (!first || (last && last.n !== first.n - 1)) return range;
  return { ...range, messages: [...older, ...range.messages], hasOlder };
}

/** With further messages that those of the range answer. */
export function withQuoted(range: MessageRange, more: readonly Message[]): MessageRange {
  const added = more.filter(({ n }) => !findMessage(range, n));
  return added.length === 0 ? range : { ...range, quoted: [...range.quoted, ...added] };
}

/** The message with this number, of the range or quoted in it. */
export function findMessage({ messages, quoted }: MessageRange, n: number): Message | undefined {
  return messages[n - (messages[0]?.n ?? n)] ?? quoted.find((one) => one.n === n);
}

/** With a message changed, wherever it is in the range. */
export function withChanged(
  range: MessageRange,
  n: number,
  change: (message: Message) => Message,
): MessageRange {
  if (!findMessage(range, n)) return range;
  const at = (all: readonly Message[]) => all.map((one) => (one.n === n ? change(one) : one));
  return { ...range, messages: at(range.messages), quoted: at(range.quoted) };
}

/** Its last messages, up to `count`, and as many of them as have no more text than `characters`. */
export function newest(
  range: MessageRange,
  count: number,
  characters = Number.POSITIVE_INFINITY,
): MessageRange {
  const { messages } = range;
  let start = messages.length;
  let left = characters;
  while (start > Math.max(0, messages.length - count)) {
    left -= messages[start - 1]?.body.length ?? 0;
    if (left < 0) break;
    start--;
  }
  if (start === 0) return range;
  const kept = messages.slice(start);
  const first = kept[0]?.n ?? 0;
  const answered = new Set(kept.map(({ replyTo = first }) => replyTo).filter((n) => n < first));
  const quoted = [...answered].flatMap((n) => findMessage(range, n) ?? []);
  return { ...range, messages: kept, hasOlder: true, quoted };
}
