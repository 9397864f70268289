import type { IncomingMessage } from 'node:http';
import { Type } from 'typebox';
import { ErrorAnswer, refusedWith } from '../http/envelope.ts';
import { refusal } from '../http/errors.ts';
import type { RequestLog } from '../http/log/request-log.ts';
import type { App } from '../http/server.ts';
import { textFor } from '../http/texts/language.ts';
import type { Services } from '../services.ts';
import type { RoomFrames } from './frames.ts';
import { openSocketLog } from './socket-log.ts';
import { Sockets } from './sockets.ts';
import { findRefusal, PATH, SUBPROTOCOL } from './upgrade.ts';

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
export async function socketRoutes(
  app: App,
  services: Services & { frames: RoomFrames; requestLog?: RequestLog | null },
): Promise<void> {
  const { frames, requestLog = null, limits } = services;
  const sockets = new Sockets(
    services,
    frames,
    requestLog && openSocketLog(services.log, requestLog, services.clock.monotonicMs),
    app.hooks,
  );
  app.hooks.countSockets = () => sockets.live.counts;
  const isDraining = () => app.lifecycle.phase === 'draining';
  const refusalOf = (request: IncomingMessage) => findRefusal(request, services.config, sockets.live);

  app.get(PATH, {
    exposeHeadRoute: false,
    config: { access: 'public' },
    schema: {
      operationId: 'openSocket',
      summary: 'Open the WebSocket (RFC 6455), whose frames docs/protocol.md and /asyncapi.yaml describe',
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
      if (isDraining())
        return reply.code(500).send({
          code: 500,
          error: 'draining',
          msg: textFor(request, '服务未就绪', 'The service is not ready'),
        });
      // Without a reason now, the address had too many connections a moment ago: the client may try again.
      const reason = refusalOf(request.raw);
      if (reason?.word === 'origin') limits.proxyWarnings.refusedOrigin(request.headers.origin ?? '');
      throw reason ?? refusal('rate-limited', 'rate_limited', { retryAfterSeconds: 1 });
    },
  });

  app.hooks.mayUpgrade = (request) => !isDraining() && !refusalOf(request);
  app.server.on('upgrade', (request, socket, head) => {
    // Node before 24.9 has not asked, and emits this for each request that names an upgrade.
    if (app.hooks.mayUpgrade(request)) sockets.upgrade(request, socket, head, app.nextRequestId());
    else socket.destroy();
  });
  app.addHook('preClose', () => sockets[Symbol.asyncDispose]());
}
