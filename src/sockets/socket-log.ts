import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import type { RequestLog } from '../http/log/request-log.ts';
import type { Connection } from './connection.ts';
import { PATH } from './upgrade.ts';

export type SocketLog = ReturnType<typeof openSocketLog>;

/** Logs two lines for each socket (`LOG_REQUESTS`): its upgrade as an answer with status 101, and its close under the same id. */
export function openSocketLog(log: Pick<Logger, 'info'>, requests: RequestLog, monotonicMs: () => number) {
  /** Each logs a close. Not in the connections themselves, so that without this log they are no larger. */
  const logClose = new WeakMap<Connection, (code: number) => void>();
  return {
    opened(connection: Connection, request: IncomingMessage, requestId: string): void {
      const client = requests.describe(request, requestId);
      const { network } = client;
      const openedMs = monotonicMs();
      requests.upgraded(client, PATH);
      logClose.set(connection, (code) => {
        const durationMs = Math.round(monotonicMs() - openedMs);
        const bytes = connection.sentBytes;
        const userId = connection.session?.userId;
        log.info(
          {
            requestId,
            route: PATH,
            code,
            durationMs,
            bytes,
            ...(userId !== undefined && { userId }),
            network,
          },
          'socket closed',
        );
      });
    },
    /** @param code as `ConnectionEvents.onLeave` has it */
    closed(connection: Connection, code: number): void {
      logClose.get(connection)?.(code);
    },
  };
}
