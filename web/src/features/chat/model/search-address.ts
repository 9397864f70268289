import { chatPath } from '../../../paths.ts';

/** What is searched for in a conversation, as its address says: `/chat/id?q=lunch&n=12`. */
interface ChatSearchQuery {
  readonly q: string;
  /** The number of the message that is shown; absent: the latest that is found. */
  readonly n: number | undefined;
}

/** The address of a search in a conversation. @param q empty: the user is about to type it */
export function chatSearchPath(peer: string, q = '', n?: number): string {
  const parameters = new URLSearchParams({ q });
  if (n !== undefined) parameters.set('n', `${n}`);
  return `${chatPath(peer)}?${parameters}`;
}

/** @param search as in `URL.search` */
export function parseChatSearch(search: string): ChatSearchQuery {
  const parameters = new URLSearchParams(search);
  const n = Number(parameters.get('n'));
  return { q: parameters.get('q') ?? '', n: Number.isSafeInteger(n) && n > 0 ? n : undefined };
}
