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
  /** What the operator said of an `account_suspended`: `reason` may be empty; `until` in epoch milliseconds, 0 without an end. */
  readonly suspension: { readonly reason: string; readonly until: number } | undefined;

  constructor(
    code: number,
    error: string,
    msg: string,
    options: ErrorOptions & { retryAfterMs?: number; suspension?: { reason: string; until: number } } = {},
  ) {
    super(`${code} ${error}: ${msg}`, options);
    this.code = code;
    this.error = error;
    this.msg = msg;
    this.retryAfterMs = options.retryAfterMs;
    this.suspension = options.suspension;
  }
}

/**
 * The refusal of a sign-in that was right (`account_leaving`): the user asked for the deletion of this account. `keepAccount` takes that
 * back and signs in.
 */
export class AccountLeaving extends DoormanError {
  /** For `keepAccount`, once within five minutes. */
  readonly ticket: string;
  /** When the account is erased, epoch milliseconds. */
  readonly until: number;

  constructor(
    code: number,
    error: string,
    msg: string,
    { ticket, until }: { ticket: string; until: number },
  ) {
    super(code, error, msg);
    this.ticket = ticket;
    this.until = until;
  }
}
