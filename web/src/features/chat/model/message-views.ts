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
 * The messages of a thread: the stored ones, then the user's pending ones that are not among them. It is called for each
 * page and each event, also of a thread of 20,000 messages, so it makes views only of messages that are new or have changed.
 *
 * @param stored without gaps, oldest first
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
  const firstShown = before[0]?.n ?? Number.NaN;
  const shown = stored.map((message) => {
    const state = stateOf(message, peer, marks);
    const old = before[message.n - firstShown];
    return old && shows(old, message, state) ? old : showStored(message, peer, state);
  });
  if (outgoing.length > 0) shown.push(...showPending(peer, own, stored, outgoing, before));
  return shown.length === before.length && shown.every((view, i) => view === before[i]) ? before : shown;
}

function shows(view: MessageView, { n, from, cid, body, at }: Message, state: MessageState): boolean {
  return (
    view.n === n &&
    view.state === state &&
    view.from === from &&
    view.cid === cid &&
    view.body === body &&
    view.at === at &&
    view.error === undefined
  );
}

function showPending(
  peer: string,
  own: string,
  stored: readonly Message[],
  outgoing: readonly PendingMessage[],
  before: readonly MessageView[],
): MessageView[] {
  const pending = new Map(outgoing.map((one) => [one.cid, one]));
  for (const { from, cid } of stored) if (from !== peer) pending.delete(cid);
  const known = new Map(before.filter(({ isOwn }) => isOwn).map((view) => [view.cid, view]));
  return [...pending.values()].map((one) => {
    const view = showOutgoing(one, own);
    const old = known.get(one.cid);
    return old && isSame(old, view) ? old : view;
  });
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
