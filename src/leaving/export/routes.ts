import { Type } from 'typebox';
import { NoFields } from '../../accounts/schemas.ts';
import { callerOf } from '../../http/authenticate.ts';
import { addressKeyOf, clientOf } from '../../http/client-address.ts';
import { answers, dataAnswer } from '../../http/envelope.ts';
import type { App } from '../../http/server.ts';
import type { Services } from '../../services.ts';
import { exportLines } from './export-lines.ts';
import { beginDownload, createExportTicket, type ExportContext } from './exports.ts';
import { ExportQuery, ExportTicket } from './schemas.ts';
import { EXPORT_TYPE, sendLines } from './send-lines.ts';

export async function exportRoutes(app: App, services: Services): Promise<void> {
  const { accounts, clock, config, db, events, limits } = services;
  const { mail } = accounts;
  const context: ExportContext = { db, events, limits: limits.exports, mail, now: clock.now };
  const stop = new AbortController();
  app.addHook('preClose', async () => stop.abort());

  app.post('/api/account/export', {
    schema: {
      operationId: 'exportTicket',
      summary: "Get a ticket for one download of the user's data, within a minute",
      body: NoFields,
      response: answers(
        dataAnswer(ExportTicket),
        400,
        401,
        [403, 'confirm_required'],
        [429, 'too_many_exports'],
      ),
    },
    handler: async (request) => ({
      code: 200 as const,
      data: await createExportTicket(context, callerOf(request)),
    }),
  });

  app.get('/api/account/export', {
    config: { access: 'public' },
    // It would use the ticket up.
    exposeHeadRoute: false,
    schema: {
      operationId: 'exportData',
      summary: "Download the user's data by a ticket, as lines of JSON",
      description: 'The last line has the type `end`. A file without it was cut off.',
      querystring: ExportQuery,
      produces: [EXPORT_TYPE],
      response: answers(Type.Object({}), 400, [404, 'export_not_found'], [429, 'too_many_exports']),
    },
    handler: async (request, reply) => {
      // Before anything is awaited: a lost connection has no address.
      const client = clientOf(request.raw, config.trustProxy);
      const addressKey = addressKeyOf(request.raw, config.trustProxy);
      const { user, end } = await beginDownload(context, request.query.ticket, client);
      limits.securityLog.write('export_made', user.id, addressKey);
      try {
        const at = clock.now();
        const lines = exportLines(db, user.id, at);
        await sendLines(request, reply, lines, { username: user.username, at, stop: stop.signal });
      } finally {
        end();
      }
      return reply;
    },
  });
}
