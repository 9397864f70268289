import { Type } from 'typebox';
import { ErrorAnswer, refusedWith } from '../http/envelope.ts';
import { refusal } from '../http/errors.ts';
import type { RequestLog } from '../http/log/request-log.ts';
import type { App } from '../http/server.ts';
import { textFor } from '../http/texts/language.ts';
import type { Services } from '../services.ts';
import type { RoomFrames } from './frames.ts';
import { SocketLog } from './socket-log.ts';
import { Sockets } from './sockets.ts';
import { findRefusal, PATH, SUBPROTOCOL } from './upgrade.ts';

interface SocketOptions {
  readonly frames: RoomFrames;
  readonly requestLog?: RequestLog | null;
}

/** Read by `findRefusal`. */
const OFFERED = {
  name: 'Sec-WebSocket-Protocol',
  in: 'header',
  description: 'The subprotocols that the client offers, with this one among them, or none',
  schema: { type: 'string', examples: [SUBPROTOCOL] },
};

/**
 * `GET /ws`: the socket. A request that may not become one is answered as a plain request, with the envelope, headers and
 * texts of every other refusal.
 */
export async function socketRoutes(app: App, services: Services & SocketOptions): Promise<void> {
  const { frames, requestLog = null, limits } = services;
  const sockets = new Sockets(
    services,
    frames,
    requestLog && new SocketLog(services.log, requestLog, services.clock.monotonicMs),
    (word, { addressKey, session }) => app.hooks.countRefusal(word, session?.userId, addressKey),
  );
  app.hooks.countSockets = () => sockets.counts;
  const { origins, publicUrl, trustProxy, tryingLocally } = services.config;
  const hasTooManyPending = (addressKey: string) => sockets.hasTooManyPending(addressKey);
  const context = { origins, publicUrl, trustProxy, tryingLocally, hasTooManyPending };

  app.get(PATH, {
    exposeHeadRoute: false,
    config: { access: 'public' },
    schema: {
      operationId: 'openSocket',
      summary: 'Open the WebSocket (RFC 6455), whose frames docs/protocol.md and docs/asyncapi.yaml describe',
      description: 'The token is sent in the first frame, `hello`; a query or a header with it is ignored.',
      parameters: [OFFERED],
      response: {
        101: Type.Null({ description: `The socket is open, and speaks \`${SUBPROTOCOL}\`` }),
        400: refusedWith('upgrade_required', 'websocket_version', 'subprotocol'),
        403: refusedWith('origin'),
        429: ErrorAnswer,
        500: refusedWith('draining'),
      },
    },
    handler: async (request, reply) => {
      if (sockets.isDraining)
        return reply.code(500).send({
          code: 500,
          error: 'draining',
          msg: textFor(request, '服务未就绪', 'The service is not ready'),
        });
      // Without a reason now, the address had too many connections a moment ago: the client may try again.
      const reason = findRefusal(request.raw, context);
      if (reason?.word === 'origin') limits.proxyWarnings.refusedOrigin(request.headers.origin ?? '');
      throw reason ?? refusal('rate-limited', 'rate_limited', 1);
    },
  });

  app.hooks.mayUpgrade = (request) => !sockets.isDraining && !findRefusal(request, context);
  app.server.on('upgrade', (request, socket, head) => {
    if (sockets.isDraining || findRefusal(request, context)) socket.destroy();
    else sockets.upgrade(request, socket, head, app.nextRequestId());
  });
  app.addHook('preClose', () => sockets[Symbol.asyncDispose]());
}
