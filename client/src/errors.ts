/**
 * What the service refused, or that it could not be reached. `error` is the stable word of the envelope
 * (docs/protocol.md); words of the kit's own are `unreachable` (no answer, code 0) and `signed_out` (no session, 401).
 */
export class DoormanError extends Error {
  override readonly name = 'DoormanError';
  /** The envelope's code, which is the HTTP status; 0 where nothing was answered. */
  readonly code: number;
  /** A stable word for programs. */
  readonly error: string;
  /** A sentence for people, in the language of the endpoint. */
  readonly msg: string;
  /** What a 429 asked for, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: number,
    error: string,
    msg: string,
    options: ErrorOptions & { retryAfterMs?: number } = {},
  ) {
    super(`${code} ${error}: ${msg}`, options);
    this.code = code;
    this.error = error;
    this.msg = msg;
    this.retryAfterMs = options.retryAfterMs;
  }
}
