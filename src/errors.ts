export type ErrorKind = 'invalid' | 'unauthenticated' | 'forbidden' | 'not-found' | 'rate-limited';

/**
 * A refusal that is sent to the caller. Rules throw it; only `http/errors.ts` and `sockets/` know its code (interface 7).
 * Everything else that is thrown is a fault of the service.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly kind: ErrorKind;
  /** The stable word for programs, such as `username_taken`: the envelope's `error`. */
  readonly word: string;
  /** Seconds after which a `rate-limited` caller may try again. */
  readonly retryAfterSeconds: number | undefined;
  /** The account that it concerns where it is not the caller's, for the log alone. */
  readonly userId: string | undefined;
  /** The name of the limit that refused, where its word is that of several, for the log and metrics alone. */
  readonly limit: string | undefined;
  /** The English form of a text that names a field or a number; other texts have theirs in `http/texts/english-texts.ts`. */
  readonly english: string | undefined;
  /** Further fields of the answer, beside its text. */
  readonly fields: Readonly<Record<string, string | number>> | undefined;

  constructor(
    kind: ErrorKind,
    word: string,
    message: string,
    options?: {
      retryAfterSeconds?: number;
      userId?: string;
      limit?: string;
      english?: string;
      fields?: Readonly<Record<string, string | number>>;
    },
  ) {
    super(message);
    this.kind = kind;
    this.word = word;
    this.retryAfterSeconds = options?.retryAfterSeconds;
    this.userId = options?.userId;
    this.limit = options?.limit;
    this.english = options?.english;
    this.fields = options?.fields;
  }
}

/** The refusal of what finds too much work waiting, or was overtaken by other calls. */
export function overloaded(retryAfterSeconds = 1): ServiceError {
  return new ServiceError('rate-limited', 'overloaded', '服务繁忙，请稍后再试', { retryAfterSeconds });
}
