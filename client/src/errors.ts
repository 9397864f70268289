/**
 * A refusal of the service, or a failure to reach it. `error` is the stable word of the envelope (docs/protocol.md) or one
 * of the kit's own, such as `unreachable` (no answer, code 0) and `signed_out` (no session, 401).
 */
export class DoormanError extends Error {
  override readonly name = 'DoormanError';
  /** The envelope's code, which is the HTTP status; 0 without an answer. */
  readonly code: number;
  /** A stable word for programs. */
  readonly error: string;
  /** A sentence for users, in the language of the endpoint. */
  readonly msg: string;
  /** How long a 429 asks to wait. */
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
