import { isPagePath } from '../paths.ts';

/** What the worker tells its pages. */
export type ToPage =
  /** Show this route. Answered with anything; who does not is made to. */
  | { doorman: 'open'; path: string }
  /** The browser gave this device another push subscription. */
  | { doorman: 'push-changed' };

/** What a page tells a worker that waits. */
export type ToWorker =
  /** Are these files, which the page was made of, of your build? Answered with {@link Compared}. */
  | { doorman: 'compare'; files: string[] }
  /** The new version is wanted now. */
  | { doorman: 'take-over' };

export interface Compared {
  /** The page is of the worker's build already: it came fresh from the network. */
  readonly same: boolean;
  /** There is no other page, which might be of the build before. */
  readonly alone: boolean;
}

/** Extensions of the browser send messages too: what is not ours is `undefined`. */
export function readToPage(data: unknown): ToPage | undefined {
  const { doorman, path } = asRecord(data);
  if (doorman === 'push-changed') return { doorman };
  return doorman === 'open' && typeof path === 'string' && isPagePath(path) ? { doorman, path } : undefined;
}

export function readToWorker(data: unknown): ToWorker | undefined {
  const { doorman, files } = asRecord(data);
  if (doorman === 'take-over') return { doorman };
  return doorman === 'compare' && Array.isArray(files) ? { doorman, files: files.map(String) } : undefined;
}

export function readCompared(data: unknown): Compared {
  const { same, alone } = asRecord(data);
  return { same: same === true, alone: alone === true };
}

/** @returns what is answered; undefined after `patienceMs` of silence */
export function ask(
  whom: { postMessage(message: ToPage | ToWorker, transfer: MessagePort[]): void },
  message: ToPage | ToWorker,
  patienceMs: number,
): Promise<unknown> {
  const { port1, port2 } = new MessageChannel();
  const answer = new Promise((resolve) => {
    const timer = setTimeout(resolve, patienceMs);
    port1.onmessage = ({ data }) => {
      clearTimeout(timer);
      resolve(data);
    };
    whom.postMessage(message, [port2]);
  });
  return answer.finally(() => port1.close());
}

function asRecord(data: unknown): Record<string, unknown> {
  return typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {}; // any object may be asked for any key
}
