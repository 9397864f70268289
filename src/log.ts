import { type DestinationStream, type Logger, pino } from 'pino';

/**
 * The one logger of a process. Ids may be logged, but no tokens, passwords, keys or message texts.
 *
 * @param output standard output by default
 */
export function openLog(level: string, output?: DestinationStream): Logger {
  const options = { level, base: undefined, serializers: { err: toLoggedError } };
  return output ? pino(options, output) : pino(options);
}

/**
 * The fields of an error that are logged. Other fields of PostgreSQL's errors contain complete rows, with hashes and messages, which
 * must not be logged.
 */
function toLoggedError(error: unknown): object {
  if (!(error instanceof Error)) return { message: `thrown: ${typeof error}` };
  const { name, message, stack, cause } = error;
  return {
    name,
    message,
    stack,
    ...('code' in error && { code: error.code }),
    ...(cause !== undefined && { cause: toLoggedError(cause) }),
  };
}
