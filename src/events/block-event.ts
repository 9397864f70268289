import type { InboxEvent } from './log-events.ts';

/** What a `block` or `unblock` event says; `undefined` for every other. */
export function readBlockEvent({ event, data }: InboxEvent):
  | {
      readonly userId: string;
      readonly isBlocked: boolean;
    }
  | undefined {
  if (event !== 'block' && event !== 'unblock') return undefined;
  if (!('userId' in data) || typeof data.userId !== 'string') throw new Error(`${event} without its user`);
  return { userId: data.userId, isBlocked: event === 'block' };
}
