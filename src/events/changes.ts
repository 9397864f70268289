import type { Tx } from '../db/db.ts';
import { nowMs } from '../db/fragments.ts';
import { SECURITY_EVENTS } from '../http/log/security-log.ts';
import type { Change, ServiceEvent } from './hints.ts';

/** The events that concern what other nodes remember. */
type ChangeEvent = Extract<
  ServiceEvent,
  {
    type:
      | 'sessions-ended'
      | 'user-changed'
      | 'block-changed'
      | 'operator-act'
      | 'hints-lost'
      | 'external-change';
  }
>;

const OF_THIS_PROCESS = [
  'inbox',
  'typing',
  'epoch-renewed',
  'clock-step',
] as const satisfies ServiceEvent['type'][];

export function isChange(event: ServiceEvent): event is ChangeEvent {
  return !OF_THIS_PROCESS.some((type) => type === event.type);
}

/** Stores the change of an event, in the transaction that makes it, as late in it as possible: readers look back 15 s. */
export async function recordChange(tx: Tx, event: ChangeEvent): Promise<Change> {
  const change = { id: crypto.randomUUID(), ...describe(event) };
  await tx.run`
    insert into changes (id, at, kind, subject)
    values (${change.id}, ${nowMs}, ${change.kind}, ${change.subject})`;
  return change;
}

/** For a command of the operator: the servers that run read again what they remember. */
export async function recordExternalChange(tx: Tx): Promise<void> {
  await recordChange(tx, { type: 'external-change' });
}

function describe(event: ChangeEvent): Pick<Change, 'kind' | 'subject'> {
  switch (event.type) {
    case 'sessions-ended':
      return { kind: event.type, subject: event.sessionIds.join(' ') };
    case 'user-changed':
      return { kind: event.type, subject: event.userId };
    case 'block-changed':
      return {
        kind: event.isBlocked ? 'block' : 'unblock',
        subject: `${event.blockerId} ${event.blockedId}`,
      };
    case 'operator-act':
      return { kind: event.type, subject: `${event.act} ${event.userId} ${event.count}` };
    case 'hints-lost':
      return { kind: event.type, subject: '' };
    case 'external-change':
      return { kind: 'everything', subject: '' };
  }
}

/** The event of a change. A kind of a newer version may concern everything. */
export function eventOf({ kind, subject }: Change): ChangeEvent {
  const [first = '', second = '', third = ''] = subject.split(' ');
  if (kind === 'sessions-ended') return { type: kind, sessionIds: subject.split(' ') };
  if (kind === 'user-changed') return { type: kind, userId: subject };
  if (kind === 'block' || kind === 'unblock')
    return { type: 'block-changed', blockerId: first, blockedId: second, isBlocked: kind === 'block' };
  const act = SECURITY_EVENTS.find((word) => word === first);
  if (kind === 'operator-act' && act) return { type: kind, act, userId: second, count: Number(third) };
  if (kind === 'hints-lost') return { type: kind };
  return { type: 'external-change' };
}
