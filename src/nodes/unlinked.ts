import type { Clock } from '../clock.ts';
import type { Db } from '../db/db.ts';
import type { ChangeReader } from '../events/change-reader.ts';
import { recordChange } from '../events/changes.ts';
import type { Link } from './link.ts';
import type { NodeTimes } from './node-times.ts';

/** A row says for so long that a node serves without a link. */
const UNLINKED_MS = 15_000;
/** How often this node notes that it runs. */
const RUNNING_MS = 100;
/** After a longer pause it has stood still. With the 400 ms for reading rows, it is as long as others wait for this node (`readMs`). */
const STOOD_STILL_MS = 200;

/** What holds while this node or another one has no link to the others. */
interface Unlinked extends Disposable {
  /** Whether a node may serve of which this one has neither a message nor a row: of its link's first moment, or of late reads. */
  readonly mayMissNodes: boolean;
  /** Whether the answers of other nodes wait until this one has read what they changed. */
  readonly isTrusted: boolean;
}

/**
 * A node without a link is silent to the others, as one that has ended, and serves nevertheless: with each heartbeat it writes a row of
 * `changes`, and while that is younger than 15 s the answers of changes wait `unknownMs`. So what was read within that time may be used,
 * on a node of which the others know.
 *
 * One that stood still has messages that it has not read, for which the others no longer wait. It uses nothing that it remembers before it
 * has read `changes`.
 *
 * @param onFault called when a row could not be written or read; the next heartbeat writes another one, and the next read reads all
 */
export function watchLink(
  link: Link,
  db: Db,
  changes: Pick<ChangeReader, 'ageMs' | 'read' | 'wasUnlinked'>,
  { every, monotonicMs }: Pick<Clock, 'every' | 'monotonicMs'>,
  { heartbeatMs, unknownMs }: Pick<NodeTimes, 'heartbeatMs' | 'unknownMs'>,
  onFault: (error: unknown) => void,
): Unlinked {
  let linkChangedAtMs = link.isUp ? monotonicMs() : Number.NEGATIVE_INFINITY;
  let ranAtMs = monotonicMs();
  let resumedAtMs = Number.NEGATIVE_INFINITY;
  const stoodStill = () => monotonicMs() - ranAtMs >= STOOD_STILL_MS;
  const isOneUnlinked = () => changes.wasUnlinked(0, UNLINKED_MS);

  /** Whether the others wait for this node: at first as for a member, later as all have read a row, since those that read late wait too. */
  const isKnown = () =>
    monotonicMs() - linkChangedAtMs < 4 * unknownMs ||
    changes.wasUnlinked(3 * unknownMs, UNLINKED_MS - unknownMs);

  function noteRunning(): void {
    if (stoodStill()) {
      resumedAtMs = monotonicMs();
      changes.read().catch(onFault);
    }
    ranAtMs = monotonicMs();
  }

  async function record(): Promise<void> {
    if (link.isUp) return;
    await db.transaction((tx) => recordChange(tx, { type: 'hints-lost' })).catch(onFault);
  }

  function onLinkChange(): void {
    linkChangedAtMs = monotonicMs();
    void record();
  }
  link.on('up', onLinkChange).on('down', onLinkChange);
  void record();
  const timers = new DisposableStack();
  timers.use(every(heartbeatMs, () => void record()));
  timers.use(every(RUNNING_MS, noteRunning));
  return {
    get mayMissNodes() {
      const isNew = monotonicMs() - linkChangedAtMs < unknownMs;
      return !link.isUp || isNew || isOneUnlinked() || changes.ageMs >= 2 * unknownMs;
    },
    get isTrusted() {
      if (stoodStill() || changes.ageMs > monotonicMs() - resumedAtMs) return false;
      if (link.isUp && !isOneUnlinked()) return true;
      return (link.isUp || isKnown()) && changes.ageMs < unknownMs;
    },
    [Symbol.dispose]: () => timers.dispose(),
  };
}
