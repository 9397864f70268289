import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import type { RequestLog } from '../http/log/request-log.ts';
import type { Connection } from './connection.ts';
import { PATH } from './upgrade.ts';

interface Opened {
  readonly requestId: string;
  readonly network: string;
  readonly openedMs: number;
}

/** Logs two lines for each socket (`LOG_REQUESTS`): its upgrade as an answer with status 101, and its close under the same id. */
export class SocketLog {
  readonly #log: Pick<Logger, 'info'>;
  readonly #requests: RequestLog;
  readonly #monotonicMs: () => number;
  /** Not in the connections themselves, so that without this log they are no larger. */
  readonly #opened = new WeakMap<Connection, Opened>();

  constructor(log: Pick<Logger, 'info'>, requests: RequestLog, monotonicMs: () => number) {
    this.#log = log;
    this.#requests = requests;
    this.#monotonicMs = monotonicMs;
  }

  opened(connection: Connection, request: IncomingMessage, requestId: string): void {
    const client = this.#requests.describe(request, requestId);
    this.#opened.set(connection, { requestId, network: client.network, openedMs: this.#monotonicMs() });
    this.#requests.upgraded(client, PATH);
  }

  /** @param code as `ConnectionEvents.onLeave` has it */
  closed(connection: Connection, code: number): void {
    const opened = this.#opened.get(connection);
    if (!opened) return;
    const { requestId, network, openedMs } = opened;
    const userId = connection.session?.userId;
    this.#log.info(
      {
        requestId,
        route: PATH,
        code,
        durationMs: Math.round(this.#monotonicMs() - openedMs),
        bytes: connection.sentBytes,
        ...(userId !== undefined && { userId }),
        network,
      },
      'socket closed',
    );
  }
}
