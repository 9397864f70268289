import { badText, hasBadText } from '../bad-text.ts';
import { AccountLeaving, DoormanError } from '../errors.ts';
import type { DoormanStorage } from '../storage/storage.ts';
import { proofHeader, saveProof } from './device-proofs.ts';

/** The envelope of every answer (interface 4.1). */
export interface Envelope {
  readonly code: number;
  readonly data?: unknown;
  readonly error?: string;
  readonly msg?: string;
  readonly message?: string;
  /** Some answers have these beside the data. */
  readonly next?: string;
  readonly people?: unknown;
  readonly pinned?: unknown;
  readonly seq?: unknown;
  readonly searched?: unknown;
  readonly publicKey?: string;
  /** Of `account_suspended`; `until` also of `account_leaving`. */
  readonly reason?: string;
  readonly until?: number;
  /** Of `account_leaving`. */
  readonly ticket?: string;
}

interface Call {
  readonly method: 'GET' | 'POST';
  /** From `/api` on, encoded. */
  readonly path: string;
  /** A picture is sent as its bytes, anything else as JSON. */
  readonly body?: object | Blob;
  readonly token?: string | undefined;
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Holds the device's proofs: they are sent, and the proof of the answer is stored. Left out: neither. */
  readonly proofs?: DoormanStorage;
}

/**
 * Calls the service, without cookies and without a cache. A redirect is not followed: the token would go with it.
 *
 * @throws the reason of `signal`
 * @throws {DoormanError} every answer but a success; `bad_text` before anything is sent; `unreachable` without an answer of
 *   the service in time
 */
export async function callService(baseUrl: string, call: Call): Promise<Envelope> {
  const { answer, content } = await exchange(baseUrl, call, (one) => one.json());
  const envelope = readEnvelope(content);
  // An answer without an envelope comes from a proxy, not from the service.
  if (!envelope) throw new DoormanError(0, 'unreachable', `No answer of the service (HTTP ${answer.status})`);
  if (envelope.code !== 200) throw toError(envelope, answer.headers.get('retry-after'));
  const proof = answer.headers.get('device-proof');
  if (call.proofs && proof !== null) await saveProof(call.proofs, proof);
  return envelope;
}

/** The same for an answer that is a picture. Its refusals are envelopes. */
export async function fetchPicture(baseUrl: string, call: Call): Promise<Blob> {
  const { answer, content } = await exchange(baseUrl, call, (one) =>
    one.headers.get('content-type')?.startsWith('image/') ? one.blob() : one.json(),
  );
  if (answer.ok && content instanceof Blob) return content;
  const envelope = readEnvelope(content);
  throw envelope
    ? toError(envelope, answer.headers.get('retry-after'))
    : new DoormanError(0, 'unreachable', `No answer of the service (HTTP ${answer.status})`);
}

async function exchange(
  baseUrl: string,
  { method, path, body, token, deadlineMs, signal, proofs }: Call,
  read: (answer: Response) => Promise<unknown>,
): Promise<{ answer: Response; content: unknown }> {
  if (hasBadText(body)) throw badText();
  const sent = proofs && (await proofHeader(proofs));
  const deadline = AbortSignal.timeout(deadlineMs);
  try {
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        ...(body && { 'content-type': body instanceof Blob ? body.type : 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(sent !== undefined && { 'device-proof': sent }),
      },
      ...(body && { body: body instanceof Blob ? body : JSON.stringify(body) }),
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      signal: signal ? AbortSignal.any([deadline, signal]) : deadline,
    });
    return { answer, content: await read(answer) };
  } catch (cause) {
    signal?.throwIfAborted();
    throw new DoormanError(0, 'unreachable', 'The service did not answer', { cause });
  }
}

/** @param retryAfter the header's value, in seconds */
export function toError(envelope: Envelope, retryAfter?: string | null): DoormanError {
  const { code, error = code === 404 ? 'not_found' : 'unknown', msg = envelope.message ?? '' } = envelope;
  const { reason, until, ticket } = envelope;
  if (error === 'account_leaving' && ticket !== undefined && until !== undefined)
    return new AccountLeaving(code, error, msg, { ticket, until });
  const seconds = retryAfter ? Number(retryAfter) : Number.NaN;
  return new DoormanError(code, error, msg, {
    ...(seconds >= 0 && { retryAfterMs: seconds * 1000 }),
    ...(reason !== undefined && until !== undefined && { suspension: { reason, until } }),
  });
}

function readEnvelope(answer: unknown): Envelope | undefined {
  const isObject = typeof answer === 'object' && answer !== null && 'code' in answer;
  return isObject && typeof answer.code === 'number' ? (answer as Envelope) : undefined; // only the service answers with a code
}

/** @param baseUrl of http or https */
export function readBaseUrl(baseUrl: string): string {
  if (!/^https?:$/.test(new URL(baseUrl).protocol))
    throw new TypeError(`not an address of http(s): ${baseUrl}`);
  return baseUrl.replace(/\/+$/, '');
}
