import type { Message } from 'doorman-client';
import { isSame } from '../../../data/keyed-store.ts';
import type { PendingMessage } from './pending-messages.ts';
import type { MessageState, MessageView } from './views.ts';

/** How far the peer has received and read. */
interface PeerMarks {
  readonly received: number;
  readonly read: number;
}

/** The state of a stored message. */
export function stateOf(message: Message, peer: string, { received, read }: PeerMarks): MessageState {
  if (message.from === peer) return 'theirs';
  if (message.n <= read) return 'read';
  return message.n <= received ? 'received' : 'stored';
}

/**
 * The messages of a thread: the stored ones, then the user's pending ones that are not among them.
 *
 * @param before the previous result: messages that did not change are the same objects
 */
export function showMessages(
  peer: string,
  own: string,
  stored: readonly Message[],
  outgoing: readonly PendingMessage[],
  marks: PeerMarks,
  before: readonly MessageView[] = [],
): readonly MessageView[] {
  const known = new Map(before.map((view) => [view.key, view]));
  const reuse = (view: MessageView) => {
    const old = known.get(view.key);
    return old && isSame(old, view) ? old : view;
  };
  const storedCids = new Set(stored.filter(({ from }) => from !== peer).map(({ cid }) => cid));
  const shown = [
    ...stored.map((message) => reuse(showStored(message, peer, stateOf(message, peer, marks)))),
    ...outgoing.filter(({ cid }) => !storedCids.has(cid)).map((one) => reuse(showOutgoing(one, own))),
  ];
  return shown.length === before.length && shown.every((view, i) => view === before[i]) ? before : shown;
}

/** The key of an own message is its cid, so that it stays the same when the message is stored; a peer's cid may be any text. */
function showStored({ n, from, cid, body, at }: Message, peer: string, state: MessageState): MessageView {
  const isOwn = from !== peer;
  return { key: isOwn ? `own-${cid}` : `n-${n}`, n, from, isOwn, cid, body, at, state, error: undefined };
}

export function showOutgoing(outgoing: PendingMessage, own: string): MessageView {
  const { cid, body, state, n, writtenAt, at = writtenAt, error } = outgoing;
  return { key: `own-${cid}`, n, from: own, isOwn: true, cid, body, at, state, error };
}
