import { isSame } from '../../../data/keyed-store.ts';
import type { PendingMessage } from '../messages/pending-messages.ts';
import { type Conversation, noConversation } from './conversations.ts';
import { showOutgoing, stateOf } from './message-views.ts';
import { unreadOf } from './unread.ts';
import type { ConversationView, MessageView } from './views.ts';

interface Sources {
  /** The signed-in user. */
  own: string;
  known: ReadonlyMap<string, Conversation>;
  /** Pending messages, by peer. */
  outgoing: ReadonlyMap<string, readonly PendingMessage[]>;
  isBlocked: (peer: string) => boolean;
  /** They are message requests, of which none counts as unread. */
  isRequests?: boolean;
  /** The previous list: rows that did not change are the same objects. */
  before: readonly ConversationView[] | undefined;
}

/**
 * The list of conversations: the pinned ones, the latest pin first, then those with the latest message first. Within a millisecond they
 * have the order of the service's pages, so that the next page is added below.
 */
export function listConversations(sources: Sources): readonly ConversationView[] {
  const { known, outgoing, before = [] } = sources;
  const old = new Map(before.map((row) => [row.peer, row]));
  const rows = [...new Set([...known.keys(), ...outgoing.keys()])]
    .map((peer) => showRow(known.get(peer) ?? noConversation(peer), sources, old.get(peer)))
    .filter(({ last, pending }) => last ?? pending)
    .sort(
      (one, other) => other.pinnedAt - one.pinnedAt || other.at - one.at || (one.peer < other.peer ? 1 : -1),
    );
  return rows.length === before.length && rows.every((row, i) => row === before[i]) ? before : rows;
}

function showRow(
  one: Conversation,
  { own, outgoing, isBlocked, isRequests }: Sources,
  old: ConversationView | undefined,
): ConversationView {
  const { peer, last, counter, settings } = one;
  const unsent = outgoing.get(peer)?.at(-1);
  const pending = unsent && reuse(old?.pending, showOutgoing(unsent, own));
  const hidden = isBlocked(peer);
  return reuse(old, {
    peer,
    last,
    pending,
    lastState: last && stateOf(last, peer, one),
    at: Math.max(last?.at ?? 0, pending?.at ?? 0),
    unread: hidden || isRequests ? 0 : unreadOf(counter),
    ownRead: counter.read,
    isBlocked: hidden,
    pinnedAt: settings.pinnedAt,
    isMuted: settings.mutedUntil > Date.now(),
    isArchived: settings.archived === 1,
    isMarkedUnread: settings.markedUnread === 1,
  });
}

function reuse<T extends ConversationView | MessageView>(old: T | undefined, row: T): T {
  return old && isSame(old, row) ? old : row;
}
