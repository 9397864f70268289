import {
  IMPORTED,
  type ImportVerdict,
  type NamedUsers,
  PRESENT,
  refuseBetween,
  refuseLine,
} from '../../users/imported.ts';
import { hourOf } from '../conversations.ts';
import { disclose } from '../disclosed-marks.ts';
import { isRepeat, type KnownMessage } from '../judge-messages.ts';

export interface ImportedMessage {
  readonly from: string;
  readonly to: string;
  readonly cid: string;
  readonly body: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Whether the recipient has read it. */
  readonly isRead: boolean;
}

/** One side of a conversation, with zeros where there is none yet. */
export interface Side {
  readonly user_id: string;
  readonly peer_id: string;
  readonly n: number;
  readonly last_at: number;
  readonly received: number;
  readonly read: number;
  readonly unread: number;
  readonly disclosed_received: number;
  readonly disclosed_read: number;
  /** As in {@link DisclosureRow}. */
  readonly is_kept_back: number;
}

export type StoredCid = Omit<KnownMessage, 'known_n' | 'known_at'>;

/** What decides about the messages of a batch. */
export interface ImportFacts {
  readonly users: NamedUsers;
  /** By {@link cidOf}. */
  readonly known: ReadonlyMap<string, StoredCid>;
  /** Both sides of each conversation, by {@link sideOf}. */
  readonly sides: ReadonlyMap<string, Side>;
}

/** What is to be written. */
interface Additions {
  readonly messages: {
    readonly low_id: string;
    readonly high_id: string;
    readonly n: number;
    readonly sender_id: string;
    readonly cid: string;
    readonly body: string;
    readonly at: number;
  }[];
  /** Sides that have changed, with the hour of their last message. */
  readonly sides: (Omit<Side, 'is_kept_back'> & { readonly last_hour: number })[];
}

// No text of a line holds U+0000. Ids hold no spaces, but a line may have one where its user should be.
export const cidOf = (senderId: string, cid: string) => `${senderId}\0${cid}`;
export const sideOf = (userId: string, peerId: string) => `${userId}\0${peerId}`;

/**
 * Judges messages in their order, each as if those accepted before it were stored. A repeat is found by its sender and `cid`, before
 * anything else is asked. Within a conversation times do not decrease. A message that its recipient has read raises their marks, unless
 * an earlier one is unread: then it is unread too.
 */
export function judgeImported(
  messages: readonly ImportedMessage[],
  { users, known: stored, sides: before }: ImportFacts,
  now: number,
): { verdicts: ImportVerdict[]; additions: Additions } {
  const known = new Map(stored);
  const sides = new Map(before);
  const changed = new Set<string>();
  const added: Additions['messages'] = [];

  const verdicts = messages.map((message) => {
    const { from, to, cid, body, at } = message;
    const same = known.get(cidOf(from, cid));
    if (same)
      return isRepeat(same, message) ? PRESENT : refuseLine('id is used by another message of this sender');
    const refused = refuseBetween(users, [from, to], at, now);
    if (refused) return refused;
    const [sender, recipient] = [sideOf(from, to), sideOf(to, from)];
    const theirs = sides.get(sender) ?? newSide(from, to);
    const mine = sides.get(recipient) ?? newSide(to, from);
    if (at < mine.last_at) return refuseLine('at is earlier than the last message of the conversation');
    const last = { n: mine.n + 1, last_at: at };
    sides.set(sender, { ...theirs, ...last });
    sides.set(recipient, receive({ ...mine, ...last }, message.isRead, users));
    changed.add(sender).add(recipient);
    known.set(cidOf(from, cid), {
      known_peer: to,
      known_body: body,
      known_reply_to: null,
      known_unsent_at: null,
      known_original_hash: null,
      known_picture_id: null,
    });
    const [low_id, high_id] = from < to ? [from, to] : [to, from];
    added.push({ low_id, high_id, n: last.n, sender_id: from, cid, body, at });
    return IMPORTED;
  });

  const rows = [...sides].filter(([key]) => changed.has(key)).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    verdicts,
    additions: {
      messages: added,
      sides: rows.map(([, { is_kept_back: _, ...side }]) => ({ ...side, last_hour: hourOf(side.last_at) })),
    },
  };
}

/** What is there without a database, as in a dry run before the first start. */
function newSide(user_id: string, peer_id: string): Side {
  const marks = { received: 0, read: 0, disclosed_received: 0, disclosed_read: 0 };
  return { user_id, peer_id, n: 0, last_at: 0, unread: 0, ...marks, is_kept_back: 0 };
}

/** The recipient's side after its last message. */
function receive(side: Side, isRead: boolean, users: NamedUsers): Side {
  if (!isRead || side.unread > 0) return { ...side, unread: side.unread + 1 };
  const marks = { received: side.n, read: side.n };
  const hides = [side.user_id, side.peer_id].some((id) => users.get(id)?.shows_read === 0);
  const { disclosed } = disclose(marks, { ...side, shows_read: hides ? 0 : 1 });
  return { ...side, ...marks, disclosed_received: disclosed.received, disclosed_read: disclosed.read };
}
