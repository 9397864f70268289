import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { findVapidFlaw } from '../push-receiver.ts';

/** A request of an application server to an endpoint, and its answer. */
export interface Submission {
  readonly endpoint: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  status: number;
  /** Why it was refused. */
  reason: string | undefined;
}

/** The size that push services must accept (RFC 8030 7.2). */
const MAX_BYTES = 4096;

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/**
 * Checks a push as strictly as the real services do (RFC 8030 5, RFC 8188, RFC 8292); the body is encrypted.
 *
 * @returns the error to answer; `undefined` for a valid push
 */
export function findSubmissionFlaw(
  { headers, body }: Pick<Submission, 'headers' | 'body'>,
  subscription: { origin: string; applicationServerKey: string | undefined },
): { status: number; reason: string } | undefined {
  const refuse = (status: number, reason: string) => ({ status, reason });
  if (!/^\d+$/.test(String(headers.ttl))) return refuse(400, 'TTL');
  if (!/^(?:very-low|low|normal|high)$/.test(String(headers.urgency ?? 'normal')))
    return refuse(400, 'urgency');
  if (headers.topic !== undefined && !/^[\w-]{1,32}$/.test(String(headers.topic)))
    return refuse(400, 'topic');
  if (body.length > MAX_BYTES) return refuse(413, 'too large');
  if (body.length > 0 && headers['content-encoding'] !== 'aes128gcm') return refuse(415, 'content encoding');
  const { origin, applicationServerKey } = subscription;
  const flaw = findVapidFlaw(headers.authorization, { origin, now: Date.now(), applicationServerKey });
  return flaw === undefined ? undefined : refuse(403, flaw);
}
