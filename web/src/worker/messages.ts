import { isPagePath } from '../paths.ts';

export type ToPage =
  /** Show this path. A page answers with anything; one that does not is navigated. */
  | { doorman: 'open'; path: string }
  /** The browser gave this device another push subscription. */
  | { doorman: 'push-changed' };

export type ToWorker =
  /** Are these files of the page from the worker's build? Answered with {@link Compared}. */
  | { doorman: 'compare'; files: string[] }
  /** Activate the new version now. */
  | { doorman: 'take-over' }
  /** Answer the requests of this page too. */
  | { doorman: 'claim' };

export interface Compared {
  /** The page is of the worker's build already, as it came from the network. */
  readonly same: boolean;
  /** There is no other page that may be of an earlier build. */
  readonly alone: boolean;
}

/** `undefined` for messages of others: browser extensions send messages too. */
export function readToPage(data: unknown): ToPage | undefined {
  const { doorman, path } = asRecord(data);
  if (doorman === 'push-changed') return { doorman };
  return doorman === 'open' && typeof path === 'string' && isPagePath(path) ? { doorman, path } : undefined;
}

export function readToWorker(data: unknown): ToWorker | undefined {
  const { doorman, files } = asRecord(data);
  if (doorman === 'take-over' || doorman === 'claim') return { doorman };
  return doorman === 'compare' && Array.isArray(files) ? { doorman, files: files.map(String) } : undefined;
}

export function readCompared(data: unknown): Compared {
  const { same, alone } = asRecord(data);
  return { same: same === true, alone: alone === true };
}

/** @returns the answer; undefined if there is none within `timeoutMs` */
export function ask(
  target: { postMessage(message: ToPage | ToWorker, transfer: MessagePort[]): void },
  message: ToPage | ToWorker,
  timeoutMs: number,
): Promise<unknown> {
  const { port1, port2 } = new MessageChannel();
  const answer = new Promise((resolve) => {
    const timer = setTimeout(resolve, timeoutMs);
    port1.onmessage = ({ data }) => {
      clearTimeout(timer);
      resolve(data);
    };
    target.postMessage(message, [port2]);
  });
  return answer.finally(() => port1.close());
}

function asRecord(data: unknown): Record<string, unknown> {
  return typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {}; // any key of an object can be read
}
