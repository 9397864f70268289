import { DoormanError } from './errors.ts';

/** What every answer is (interface 4.1). */
export interface Envelope {
  readonly code: number;
  readonly data?: unknown;
  readonly error?: string;
  readonly msg?: string;
  readonly message?: string;
  /** Of `GET /api/users` and `GET /api/push/public-key`, which put it beside the data. */
  readonly next?: string;
  readonly publicKey?: string;
}

export interface Call {
  readonly method: 'GET' | 'POST';
  /** From `/api` on, encoded. */
  readonly path: string;
  readonly body?: object;
  readonly token?: string | undefined;
  readonly deadlineMs: number;
}

/**
 * Calls the service. No cookie goes along, nothing is cached, no redirect followed: the token would go with it.
 *
 * @throws {DoormanError} whatever is not a success; `unreachable` when no answer of the service came in time
 */
export async function callService(
  baseUrl: string,
  { method, path, body, token, deadlineMs }: Call,
): Promise<Envelope> {
  let answer: Response;
  let envelope: Envelope | undefined;
  try {
    answer = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(deadlineMs),
    });
    envelope = readEnvelope(await answer.json());
  } catch (cause) {
    throw new DoormanError(0, 'unreachable', 'The service did not answer', { cause });
  }
  // A proxy in between may answer in its own way: then it was not the service.
  if (!envelope) throw new DoormanError(0, 'unreachable', `No answer of the service (HTTP ${answer.status})`);
  if (envelope.code !== 200) throw toError(envelope, answer.headers.get('retry-after'));
  return envelope;
}

/** @param retryAfter seconds, as the header says */
export function toError(envelope: Envelope, retryAfter?: string | null): DoormanError {
  const { code, error = code === 404 ? 'not_found' : 'unknown', msg = envelope.message ?? '' } = envelope;
  const seconds = retryAfter ? Number(retryAfter) : Number.NaN;
  return new DoormanError(code, error, msg, seconds >= 0 ? { retryAfterMs: seconds * 1000 } : {});
}

function readEnvelope(answer: unknown): Envelope | undefined {
  const isOne = typeof answer === 'object' && answer !== null && 'code' in answer;
  return isOne && typeof answer.code === 'number' ? (answer as Envelope) : undefined; // an answer with a code is the service's
}

/** @param baseUrl of http or https */
export function readBaseUrl(baseUrl: string): string {
  if (!/^https?:$/.test(new URL(baseUrl).protocol))
    throw new TypeError(`not an address of http(s): ${baseUrl}`);
  return baseUrl.replace(/\/+$/, '');
}
