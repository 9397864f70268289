import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { MAX_DOWNLOAD_MS } from './export-limits.ts';

export const EXPORT_TYPE = 'application/x-ndjson';
/** How long a download may take, and how long its reader may take nothing. */
const TIMES = { wholeMs: MAX_DOWNLOAD_MS, readerMs: 60_000 };

/** The ways in which a download ends early that are no faults: its reader has gone, time is up, the server stops. */
const CUT = ['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_UNABLE_TO_PIPE', 'ABORT_ERR'];

interface Sending {
  readonly username: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly stop: AbortSignal;
  readonly times?: typeof TIMES;
}

/**
 * Answers with a file, as fast as its reader takes it. A file that is cut off ends the connection, so that the browser says so. Resolves when it has
 * ended in any way.
 */
export async function sendLines(
  request: FastifyRequest,
  reply: FastifyReply,
  lines: AsyncIterable<string>,
  { username, at, stop, times = TIMES }: Sending,
): Promise<void> {
  const { raw } = reply.hijack();
  reply.headers({
    'content-type': `${EXPORT_TYPE}; charset=utf-8`,
    'content-disposition': dispositionOf(username, at),
  });
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) raw.setHeader(name, value);
  // Begins again whenever some bytes have left.
  raw.setTimeout(times.readerMs, () => raw.destroy());
  const signal = AbortSignal.any([stop, AbortSignal.timeout(times.wholeMs)]);
  try {
    await pipeline(Readable.from(lines), raw, { signal });
  } catch (err) {
    const isCut = err instanceof Error && 'code' in err && CUT.includes(String(err.code));
    // A refusal: the account was deleted meanwhile.
    if (isCut || err instanceof ServiceError) return;
    const { id: requestId, method, routeOptions } = request;
    request.log.error({ err, requestId, method, route: routeOptions.url }, 'fault');
  }
}

/** The name of the file, in ASCII and as it is (RFC 6266, 8187), without what file systems do not allow. */
export function dispositionOf(username: string, at: number): string {
  const day = new Date(at).toISOString().slice(0, 10);
  const name = `doorman-${username.replaceAll(/[\p{Cc}/\\:*?"<>|]/gu, '_')}-${day}.jsonl`;
  const toHex = (one: string) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`;
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, toHex);
  return `attachment; filename="${name.replaceAll(/[^\w.-]/gu, '_')}"; filename*=UTF-8''${encoded}`;
}
