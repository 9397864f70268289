/** A version ignores messages of another one: the data of each type has one shape in a version. */
const VERSION = 1;

/** A message between nodes. */
export interface Message {
  readonly from: string;
  readonly type: string;
  /** The number of the message in its stream; of a heartbeat the number of the last message to all. */
  readonly n: number;
  readonly data: unknown;
}

export interface Heartbeat {
  /** The last number that the sender gave to a message for each other node. */
  readonly own: Record<string, number>;
  /** The others answer by a heartbeat of their own at once. */
  readonly isAsking: boolean;
}

export function format(message: Message): string {
  return JSON.stringify({ v: VERSION, ...message });
}

/** `undefined` for what another version or another program sent. */
export function parse(text: string): Message | undefined {
  try {
    const message = JSON.parse(text);
    return message?.v === VERSION ? message : undefined;
  } catch {
    return undefined;
  }
}
