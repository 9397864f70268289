import type { FastifyReply } from 'fastify';

/** Says that the answer depends on a header of the request, besides those that were named before (RFC 9110, 12.5.5). */
export function addVary(reply: FastifyReply, header: string): void {
  const named = reply.getHeader('vary');
  reply.header('vary', named === undefined ? header : `${named}, ${header}`);
}
