import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { BoundedQueue } from '../collections/bounded-queue.ts';
import { callerOf, disconnectSignal } from '../http/authenticate.ts';
import { answers } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import type { Services } from '../services.ts';
import { listPage } from './directory.ts';
import { DirectoryCache } from './directory-cache.ts';
import { DirectoryAnswer, DirectoryQuery } from './schemas.ts';

/** A client that reads nothing of the full list for this long is disconnected, so that the next in the queue is served. */
const STALL_MS = 30_000;
const HIGH_WATER_BYTES = 256 * 1024;

export async function directoryRoutes(app: App, { db, events, presence }: Services): Promise<void> {
  const cache = new DirectoryCache(db, presence.online, events);
  const fullLists = new BoundedQueue({ concurrency: 2, limit: 20 });

  app.get('/api/users', {
    schema: {
      operationId: 'users',
      summary: 'List all users by id, or a page of them, or those that a search finds',
      querystring: DirectoryQuery,
      response: answers(DirectoryAnswer, [400, 'bad_query', 'bad_cursor'], 401),
    },
    handler: async (request, reply) => {
      const { q, online, limit, after } = request.query;
      const showsOnline = await presence.seeing.load(callerOf(request).userId);
      if (q !== undefined || online === 1 || limit !== undefined || after !== undefined) {
        const { entries, next } = await listPage(db, presence.online, request.query, showsOnline);
        return { code: 200 as const, data: entries, ...(next === undefined ? {} : { next }) };
      }
      if (request.method === 'HEAD')
        return reply.header('content-type', 'application/json; charset=utf-8').send(Readable.from([]));
      await fullLists.run(async () => {
        if (reply.raw.closed) return; // the client left before the listener was added, so there was no signal
        const answer = Readable.from(fullList(cache.elements(showsOnline), reply), {
          objectMode: false,
          highWaterMark: HIGH_WATER_BYTES,
        });
        reply.header('content-type', 'application/json; charset=utf-8').send(answer);
        await once(reply.raw, 'close');
      }, disconnectSignal(reply));
      return reply;
    },
  });
}

async function* fullList(elements: AsyncIterable<Buffer>, reply: FastifyReply): AsyncGenerator<Buffer> {
  const stalled = setTimeout(() => reply.raw.destroy(), STALL_MS);
  try {
    yield Buffer.from('{"code":200,"data":[');
    for await (const bytes of elements) {
      stalled.refresh();
      yield bytes;
    }
    yield Buffer.from(']}');
  } finally {
    clearTimeout(stalled);
  }
}
