import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { weightIn } from '../http/parse/weights.ts';
import { addVary } from '../http/vary.ts';

/** Takes a fifth of a second for the script of the reference page; the highest takes eight, for a fifth less. */
const BROTLI_QUALITY = 6;
const MAX_ETAGS = 50;

/** A large answer that stays the same, with its compressed forms. */
export interface StoredAnswer {
  readonly etag: string;
  readonly identity: Uint8Array;
  readonly br: Uint8Array;
  readonly gzip: Uint8Array;
}

/** Compresses an answer once, in libuv's threads. */
export async function storeAnswer(identity: Uint8Array): Promise<StoredAnswer> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  const [br, gzipped] = await Promise.all([
    promisify(brotliCompress)(identity, { params }),
    promisify(gzip)(identity),
  ]);
  // Weak, as all forms have it (RFC 9110, 8.8.1).
  const etag = `W/"${createHash('sha256').update(identity).digest('base64url').slice(0, 22)}"`;
  return { etag, identity, br, gzip: gzipped };
}

/** Sends the form that the client accepts, or 304 if it has the answer already. Caches ask again at each use. */
export function sendStored(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: StoredAnswer,
  contentType: string,
): FastifyReply {
  const { 'accept-encoding': accepted = '', 'if-none-match': known = '' } = request.headers;
  addVary(reply, 'Accept-Encoding');
  reply.headers({ etag: answer.etag, 'cache-control': 'no-cache' });
  const etags = known.split(',', MAX_ETAGS).map((one) => one.trim());
  if (etags.includes(answer.etag) || etags.includes('*')) return reply.code(304).send();
  const coding = (['br', 'gzip'] as const).find((one) => weightIn(accepted, one) > 0);
  if (coding) reply.header('content-encoding', coding);
  return reply.header('content-type', contentType).send(answer[coding ?? 'identity']);
}
