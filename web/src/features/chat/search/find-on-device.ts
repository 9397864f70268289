import type { Chats } from '../model/chats.ts';
import { isFound, partsOf } from './found-text.ts';
import type { Hit } from './message-search.ts';

/** What a search finds in the messages that the device has, by the rules of the service, without its bounds. */
export function findOnDevice(chats: Chats, q: string, peer?: string): readonly Hit[] {
  const parts = partsOf(q);
  return chats.conversations
    .getSnapshot()
    .filter((one) => peer === undefined || one.peer === peer)
    .toSorted((one, other) => (other.last?.at ?? 0) - (one.last?.at ?? 0))
    .flatMap((one) => {
      const loaded = chats.thread(one.peer).range?.messages ?? [];
      const isLastLoaded = loaded.some(({ n }) => n === one.last?.n);
      const messages = one.last && !isLastLoaded ? [...loaded, one.last] : loaded;
      return messages
        .filter(({ body, unsentAt }) => unsentAt === undefined && isFound(body, parts))
        .map((message) => ({ ...message, peer: one.peer }))
        .reverse();
    });
}
