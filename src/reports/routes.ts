import { callerOf } from '../http/authenticate.ts';
import { clientOf } from '../http/client-address.ts';
import { answers, dataAnswer } from '../http/envelope.ts';
import type { App } from '../http/server.ts';
import type { Services } from '../services.ts';
import { fileReport } from './reports.ts';
import { FiledReport, ReportBody } from './schemas.ts';

export async function reportRoutes(app: App, { clock, config, db, events, inbox }: Services): Promise<void> {
  app.post('/api/report', {
    schema: {
      operationId: 'report',
      summary: 'Report a user to the operator, with copies of messages, and block them if asked to',
      body: ReportBody,
      response: answers(
        dataAnswer(FiledReport),
        [400, 'report_self'],
        401,
        [404, 'user_not_found'],
        [429, 'too_many_reports'],
      ),
    },
    handler: async (request) => {
      const { userId, sessionId } = callerOf(request);
      const reporter = { userId, sessionId, ...clientOf(request.raw, config.trustProxy) };
      const { value: data, seq } = await fileReport({ db, events }, reporter, request.body, clock.now());
      await inbox.delivery.writtenUpTo(userId, seq);
      return { code: 200 as const, data };
    },
  });
}
