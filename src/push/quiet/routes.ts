import { Quiet } from '../../events/log-events.ts';
import { callerOf } from '../../http/authenticate.ts';
import { answers, dataAnswer, messageAnswer } from '../../http/envelope.ts';
import type { App } from '../../http/server.ts';
import { textFor } from '../../http/texts/language.ts';
import type { Services } from '../../services.ts';
import { readQuiet, setQuiet } from './quiet.ts';
import { QuietBody } from './schemas.ts';

export async function quietRoutes(app: App, { clock, db, events }: Services): Promise<void> {
  app.get('/api/user/quiet', {
    schema: {
      operationId: 'quiet',
      summary: 'Get the own quiet hours, in which no notification is sent',
      response: answers(dataAnswer(Quiet), 401),
    },
    handler: async (request) => ({
      code: 200 as const,
      data: await readQuiet(db, callerOf(request).userId),
    }),
  });

  app.post('/api/user/quiet', {
    schema: {
      operationId: 'setQuiet',
      summary: 'Replace the own quiet hours; what came in them is notified of when they end',
      body: QuietBody,
      response: answers(messageAnswer(Quiet), [400, 'time_zone_unknown', 'window_invalid'], 401),
    },
    handler: async (request) => ({
      code: 200 as const,
      message: textFor(request, '安静时段已保存', 'The quiet hours are saved'),
      data: await setQuiet({ db, events }, callerOf(request).userId, request.body, clock.now()),
    }),
  });
}
