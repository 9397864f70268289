import { setTimeout as delay } from 'node:timers/promises';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { ChangeReader } from '../events/change-reader.ts';
import { eventOf } from '../events/changes.ts';
import type { Events } from '../events/hints.ts';
import type { InboxServices } from '../inbox/inbox-services.ts';
import type { Membership } from './membership.ts';
import type { NodeTimes } from './node-times.ts';

const CHANGES = 'changes';
const READ = 'changes-read';
const changesShape = Compile(Type.Object({ message: Type.Integer(), ids: Type.Array(Type.String()) }));
const readShape = Compile(Type.Integer());

interface ChangedServices {
  readonly events: Pick<Events, 'onChanges'> & { readonly changes: Pick<ChangeReader, 'readRows'> };
  readonly inbox: { readonly delivery: Pick<InboxServices['delivery'], 'catchUp'> };
}

/**
 * Sends the ids of new rows of `changes` to the other nodes, which read them from the database, and lets the answer of the change
 * wait for that: so a caller whose next request goes to another node finds what they have just written. A lost message costs the
 * whole wait, within which each node reads all new rows.
 *
 * @param beforeSending sends what the message must not overtake
 * @param mayMissNodes whether a node may serve that is not a member
 * @param onFault called when rows could not be read; the next read of all finds them
 */
export function shareChanges(
  membership: Membership,
  { events, inbox }: ChangedServices,
  { readMs, unknownMs }: NodeTimes,
  beforeSending: () => void,
  mayMissNodes: () => boolean,
  onFault: (error: unknown) => void,
): void {
  const waiting = new Map<number, { nodes: Set<string>; resolve: () => void }>();
  let messages = 0;

  /** Resolves when the other nodes have read the rows, or after the whole wait. */
  async function send(ids: readonly string[]): Promise<void> {
    const message = ++messages;
    const nodes = new Set(membership.isLinked ? membership.peers() : []);
    membership.broadcast(CHANGES, { message, ids });
    if (nodes.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.set(message, { nodes, resolve });
    await Promise.race([promise, delay(readMs, undefined, { ref: false })]);
    waiting.delete(message);
  }

  /** Until the block promise holds here too: no device gets events of the blocked user of before the block after it. */
  async function read(ids: readonly string[]): Promise<void> {
    const changed = (await events.changes.readRows(ids)).map(eventOf);
    const blocks = changed.filter((event) => event.type === 'block-changed');
    await Promise.all(
      blocks.map(({ blockerId, isRequest }) => isRequest || inbox.delivery.catchUp(blockerId)),
    );
  }

  function onRead(node: string, message: number): void {
    const { nodes, resolve } = waiting.get(message) ?? {};
    nodes?.delete(node);
    if (nodes?.size === 0) resolve?.();
  }

  events.onChanges(async (ids) => {
    beforeSending();
    await Promise.all([send(ids), mayMissNodes() && delay(unknownMs)]);
  });
  membership.handle(CHANGES, changesShape, (from, { message, ids }) => {
    read(ids).then(() => membership.send(from, READ, message), onFault);
  });
  membership.handle(READ, readShape, onRead);
  membership.on('leave', (node) => {
    for (const message of waiting.keys()) onRead(node, message);
  });
}
