import type { LogEvent } from '../events/log-events.ts';

/** The messages that a user has received: for each peer, the number of the last one. */
export interface Receipts {
  readonly userId: string;
  readonly peers: readonly (readonly [peer: string, n: number])[];
  /** Up to which event the user's inbox is settled afterwards; 0 if more receipts of the user follow. */
  readonly settles: number;
}

/** One side of a conversation, read behind the locks. */
export interface MarkFacts {
  readonly received: number;
  readonly read: number;
  /** Whether one of the two blocks the other. */
  readonly is_blocked: number;
}

/** A `received` mark that rises. */
interface RaisedMark {
  readonly user_id: string;
  readonly peer_id: string;
  readonly received: number;
  /** Whether the peer is notified. */
  readonly is_disclosed: number;
}

export interface JudgedReceipts {
  readonly marks: readonly RaisedMark[];
  /** For both sides, numbered from the heads on. */
  readonly events: readonly { readonly userId: string; readonly event: LogEvent<'marked'> }[];
  /** The heads that change: the number of the last event, and up to which event the user is settled, 0 if not. */
  readonly heads: readonly { readonly user_id: string; readonly seq: number; readonly received: number }[];
  readonly settled: readonly string[];
  /** Users whose inbox, or that of one of their peers, is not locked: the rest of their receipts has to wait. */
  readonly held: ReadonlySet<string>;
}

/**
 * Decides which marks rise: those of unlocked conversations that are lower than what was received. The user's devices are notified, and
 * the peer unless one of the two blocks the other.
 *
 * @param facts by {@link pairOf}; there are none where the two have no conversation
 * @param heads the number of the last event of each locked inbox
 * @param now epoch milliseconds
 */
export function judgeReceipts(
  batch: readonly Receipts[],
  facts: ReadonlyMap<string, MarkFacts>,
  heads: ReadonlyMap<string, number>,
  now: number,
): JudgedReceipts {
  const marks: RaisedMark[] = [];
  const events: JudgedReceipts['events'][number][] = [];
  const settled = new Map<string, number>();
  const held = new Set<string>();
  const lastSeqs = new Map(heads);
  const append = (userId: string, data: LogEvent<'marked'>['data']) => {
    const seq = (lastSeqs.get(userId) ?? 0) + 1;
    lastSeqs.set(userId, seq);
    events.push({ userId, event: { seq, at: now, event: 'marked', data } });
  };
  for (const { userId, peers, settles } of batch) {
    for (const [peer, n] of peers) {
      if (!heads.has(userId) || !heads.has(peer)) {
        held.add(userId);
        continue;
      }
      const known = facts.get(pairOf(userId, peer));
      if (!known || known.received >= n) continue;
      const is_disclosed = known.is_blocked ? 0 : 1;
      marks.push({ user_id: userId, peer_id: peer, received: n, is_disclosed });
      const data = { by: userId, received: n, read: known.read };
      append(userId, { peer, ...data });
      if (is_disclosed) append(peer, { peer: userId, ...data });
    }
    if (!heads.has(userId)) held.add(userId);
    // A failover can have lost events that a device acknowledged.
    if (settles > 0 && !held.has(userId)) settled.set(userId, Math.min(settles, heads.get(userId) ?? 0));
  }
  const changed = new Set([...settled.keys(), ...events.map(({ userId }) => userId)]);
  return {
    marks,
    events,
    heads: [...changed].map((userId) => ({
      user_id: userId,
      seq: lastSeqs.get(userId) ?? 0,
      received: settled.get(userId) ?? 0,
    })),
    settled: [...settled.keys()],
    held,
  };
}

export function pairOf(userId: string, peer: string): string {
  return `${userId} ${peer}`;
}
