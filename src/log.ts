import { type DestinationStream, type Logger, pino } from 'pino';

/**
 * The one logger of a process. Ids may be logged, but no tokens, passwords, keys or message texts.
 *
 * @param output standard output by default
 */
export function openLog(level: string, output?: DestinationStream): Logger {
  const options = { level, base: undefined, serializers: { err: toLogged } };
  return output ? pino(options, output) : pino(options);
}

/**
 * What the log gets of an error. PostgreSQL's errors hold whole rows in other fields, and rows hold what must not be
 * logged: hashes, messages.
 */
function toLogged(error: unknown): object {
  if (!(error instanceof Error)) return { message: `thrown: ${typeof error}` };
  const { name, message, stack, cause } = error;
  return {
    name,
    message,
    stack,
    ...('code' in error && { code: error.code }),
    ...(cause !== undefined && { cause: toLogged(cause) }),
  };
}
