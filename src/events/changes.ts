import type { Queries, Tx } from '../db/db.ts';
import { nowMs } from '../db/fragments.ts';
import type { ServiceEvent } from './hints.ts';

/** The events that concern what other processes remember; all others are of this process alone. */
const CHANGES = [
  'sessions-ended',
  'user-changed',
  'block-changed',
  'operator-act',
  'hints-lost',
  'external-change',
] as const satisfies ServiceEvent['type'][];
type ChangeEvent = Extract<ServiceEvent, { type: (typeof CHANGES)[number] }>;

/** A row of `changes`, after which other processes drop what they have cached of its subject. */
export interface Change {
  readonly id: string;
  /** The type of an event. */
  readonly kind: string;
  /** Its other fields, as JSON. */
  readonly subject: string;
}

export function isChange(event: ServiceEvent): event is ChangeEvent {
  return CHANGES.some((type) => type === event.type);
}

/**
 * Stores the change of an event, in the transaction that makes it, as late in it as possible: readers look back 15 s.
 *
 * @returns the id of its row
 */
export async function recordChange(
  tx: Queries,
  { type, ...fields }: ChangeEvent,
  id: string = crypto.randomUUID(),
): Promise<string> {
  await tx.run`
    insert into changes (id, at, kind, subject)
    values (${id}, ${nowMs}, ${type}, ${JSON.stringify(fields)})`;
  return id;
}

/** For a command of the operator: the servers that run read again what they remember. */
export async function recordExternalChange(tx: Tx): Promise<void> {
  await recordChange(tx, { type: 'external-change' });
}

/** The event of a change. What another version wrote may concern everything. */
export function eventOf({ kind, subject }: Change): ChangeEvent {
  if (!CHANGES.some((type) => type === kind) || !subject.startsWith('{')) return { type: 'external-change' };
  return { type: kind, ...JSON.parse(subject) }; // as `recordChange` wrote it
}
