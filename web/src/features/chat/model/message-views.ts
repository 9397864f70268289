import type { Message, MessageChange } from 'doorman-client';
import { isSame } from '../../../data/keyed-store.ts';
import { edit, react, unsend } from '../messages/message-changes.ts';
import { findMessage, type MessageRange } from '../messages/message-range.ts';
import type { PendingMessage } from '../messages/pending-messages.ts';
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

interface Sources {
  readonly peer: string;
  /** The signed-in user. */
  readonly own: string;
  readonly range: MessageRange;
  readonly outgoing: readonly PendingMessage[];
  /** The user's changes that the service has not stored. */
  readonly changes: readonly MessageChange[];
  readonly marks: PeerMarks;
}

/**
 * The messages of a thread: the stored ones, then the user's pending ones that are not among them. It is called for each
 * page and each event, also of a thread of 20,000 messages, so it makes views only of messages that are new or have changed.
 *
 * @param before the previous result: messages that did not change are the same objects
 */
export function showMessages(sources: Sources, before: readonly MessageView[] = []): readonly MessageView[] {
  const { peer, own, range, outgoing, marks } = sources;
  const changes = Map.groupBy(sources.changes, ({ n, cid }) => n ?? cid);
  const firstShown = before[0]?.n ?? Number.NaN;
  const shown = range.messages.map((source) => {
    const { n, from, cid, replyTo } = source;
    const state = stateOf(source, peer, marks);
    const quoted = replyTo === undefined ? undefined : findMessage(range, replyTo);
    const made = changes.get(n) ?? (from === peer ? undefined : changes.get(cid));
    const old = before[n - firstShown];
    const isShown =
      old &&
      old.state === state &&
      old.quoted === quoted &&
      isSame(old.source, source) &&
      isSame(old.changes, made);
    return isShown ? old : showStored(source, { own, state, quoted, changes: made });
  });
  if (outgoing.length > 0) shown.push(...showPending(sources, changes, before));
  return shown.length === before.length && shown.every((view, i) => view === before[i]) ? before : shown;
}

function showPending(
  { peer, own, range, outgoing }: Sources,
  changes: ReadonlyMap<unknown, readonly MessageChange[]>,
  before: readonly MessageView[],
): MessageView[] {
  const pending = new Map(outgoing.map((one) => [one.cid, one]));
  for (const { from, cid } of range.messages) if (from !== peer) pending.delete(cid);
  const known = new Map(before.filter(({ isOwn }) => isOwn).map((view) => [view.cid, view]));
  return [...pending.values()].map((one) => {
    const quoted = one.replyTo === undefined ? undefined : findMessage(range, one.replyTo);
    const view = { ...showOutgoing(one, own, changes.get(one.cid)), quoted };
    const old = known.get(one.cid);
    return old && isSame(old, view) ? old : view;
  });
}

/** The key of an own message is its cid, so that it stays the same when the message is stored; a peer's cid may be any text. */
function showStored(
  source: Message,
  { own, ...shown }: Pick<MessageView, 'state' | 'quoted' | 'changes'> & { own: string },
): MessageView {
  const { n, from, cid, body, at, replyTo, picture, editedAt, unsentAt, reactions } = withWaiting(
    source,
    own,
    shown.changes,
  );
  const isOwn = shown.state !== 'theirs';
  return {
    key: isOwn ? `own-${cid}` : `n-${n}`,
    n,
    from,
    isOwn,
    cid,
    body,
    at,
    error: undefined,
    replyTo,
    picture,
    isEdited: editedAt !== undefined,
    isUnsent: unsentAt !== undefined,
    reactions,
    source,
    ...shown,
  };
}

export function showOutgoing(
  outgoing: PendingMessage,
  own: string,
  changes?: readonly MessageChange[],
): MessageView {
  const { cid, body, state, n = 0, writtenAt, at = writtenAt, error, replyTo, picture } = outgoing;
  const message = { n, from: own, cid, body, at, ...(replyTo !== undefined && { replyTo }) };
  const view = showStored(message, { own, state, quoted: undefined, changes });
  return {
    ...view,
    n: outgoing.n,
    error,
    picture: view.isUnsent ? undefined : picture,
    isEdited: false,
    source: undefined,
  };
}

/** With the changes that wait. */
function withWaiting(message: Message, own: string, changes: MessageView['changes'] = []): Message {
  return changes
    .filter(({ state }) => state !== 'refused')
    .reduce((changed, { kind, writtenAt, body = '', emoji = '' }) => {
      if (kind === 'unsend') return unsend(writtenAt)(changed);
      return kind === 'edit' ? edit(body, writtenAt)(changed) : react(own, emoji)(changed);
    }, message);
}
