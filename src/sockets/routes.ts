import { ErrorAnswer } from '../http/envelope.ts';
import { refusal } from '../http/errors.ts';
import type { App } from '../http/server.ts';
import type { Services } from '../services.ts';
import type { RoomFrames } from './frames.ts';
import { Sockets } from './sockets.ts';
import { findRefusal, PATH } from './upgrade.ts';

/** The frames of all rooms. */
interface Frames {
  readonly frames: RoomFrames;
}

/**
 * `GET /ws`: the socket. A request that may not become one is answered as a plain request, with the envelope, headers and
 * texts of every other refusal.
 */
export async function socketRoutes(app: App, services: Services & Frames): Promise<void> {
  const sockets = new Sockets(services, services.frames);
  const { origins, publicUrl, trustProxy, tryingLocally } = services.config;
  const hasTooManyPending = (addressKey: string) => sockets.hasTooManyPending(addressKey);
  const context = { origins, publicUrl, trustProxy, tryingLocally, hasTooManyPending };

  app.get(PATH, {
    exposeHeadRoute: false,
    config: { access: 'public' },
    schema: { response: { 400: ErrorAnswer, 403: ErrorAnswer, 429: ErrorAnswer, 500: ErrorAnswer } },
    handler: async (request, reply) => {
      if (sockets.isDraining)
        return reply.code(500).send({ code: 500, error: 'draining', msg: '服务未就绪' });
      // Without a reason now, the address had too many connections a moment ago: the client may try again.
      throw findRefusal(request.raw, context) ?? refusal('rate-limited', 'rate_limited', 1);
    },
  });

  app.upgrades.may = (request) => !sockets.isDraining && !findRefusal(request, context);
  app.server.on('upgrade', (request, socket, head) => {
    if (sockets.isDraining || findRefusal(request, context)) socket.destroy();
    else sockets.upgrade(request, socket, head);
  });
  app.addHook('preClose', () => sockets[Symbol.asyncDispose]());
}
