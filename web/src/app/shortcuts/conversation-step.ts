import type { Step } from './shortcut-keys.ts';

interface Stop {
  readonly peer: string;
  readonly unread: number;
  readonly isMarkedUnread: boolean;
  readonly isArchived: boolean;
}

/**
 * The conversation to which a step leads, in the order of the list; from an archived one, among these. The search for an unread one goes on
 * at the other end.
 *
 * @param current the peer of the open conversation
 * @returns undefined at the end of the list, or if no other conversation is unread
 */
export function stepFrom(all: readonly Stop[], current: string | undefined, step: Step): string | undefined {
  const isArchived = all.find(({ peer }) => peer === current)?.isArchived ?? false;
  const list = all.filter((one) => one.isArchived === isArchived);
  const at = list.findIndex(({ peer }) => peer === current);
  switch (step) {
    case 'next':
      return list[at + 1]?.peer;
    case 'previous':
      return list[at - 1]?.peer;
    case 'next-unread':
      return [...list.slice(at + 1), ...list.slice(0, Math.max(at, 0))].find(isUnread)?.peer;
    case 'previous-unread':
      return [...list.slice(at + 1), ...list.slice(0, Math.max(at, 0))].findLast(isUnread)?.peer;
  }
}

function isUnread({ unread, isMarkedUnread }: Stop): boolean {
  return unread > 0 || isMarkedUnread;
}
