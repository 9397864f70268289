import { ErrorAnswer } from '../http/envelope.ts';
import { refusal } from '../http/errors.ts';
import type { App } from '../http/server.ts';
import type { Services } from '../services.ts';
import type { RoomFrames } from './frames.ts';
import { Sockets } from './sockets.ts';
import { findFlaw, PATH } from './upgrade.ts';

/** The frames of all rooms. */
interface Frames {
  readonly frames: RoomFrames;
}

/**
 * `GET /ws`: the socket. A request that cannot become one is answered as the plain request that it is too, so its
 * refusal goes the way of every other: the envelope, its headers, its texts.
 */
export async function socketRoutes(app: App, services: Services & Frames): Promise<void> {
  const sockets = new Sockets(services, services.frames);
  const { origins, publicUrl, trustProxy, tryingLocally } = services.config;
  const isFull = (addressKey: string) => sockets.isFull(addressKey);
  const door = { origins, publicUrl, trustProxy, tryingLocally, isFull };

  app.get(PATH, {
    exposeHeadRoute: false,
    config: { access: 'public' },
    schema: { response: { 400: ErrorAnswer, 403: ErrorAnswer, 429: ErrorAnswer, 500: ErrorAnswer } },
    handler: async (request, reply) => {
      if (sockets.isDraining)
        return reply.code(500).send({ code: 500, error: 'draining', msg: '服务未就绪' });
      // Should nothing be wrong with it any more, a place has become free since: the next try finds it.
      throw findFlaw(request.raw, door) ?? refusal('rate-limited', 'rate_limited', 1);
    },
  });

  app.upgrades.may = (request) => !sockets.isDraining && !findFlaw(request, door);
  app.server.on('upgrade', (request, socket, head) => {
    if (sockets.isDraining || findFlaw(request, door)) socket.destroy();
    else sockets.upgrade(request, socket, head);
  });
  app.addHook('preClose', () => sockets[Symbol.asyncDispose]());
}
