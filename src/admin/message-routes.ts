import { Type } from 'typebox';
import { ServiceError } from '../errors.ts';
import { keyOf } from '../http/authenticate.ts';
import { answers, dataAnswer } from '../http/envelope.ts';
import { failureOf } from '../http/errors.ts';
import type { App } from '../http/server.ts';
import { prefersEnglish } from '../http/texts/language.ts';
import type { Services } from '../services.ts';
import { SendMessagesBody, SentMessage } from './schemas.ts';
import { sendMessages } from './send-messages.ts';

export function messageRoutes(app: App, services: Services): void {
  app.post('/api/admin/messages', {
    config: { access: 'key', right: 'messages' },
    schema: {
      operationId: 'sendMessages',
      summary: 'Send messages as their senders would; a repeat with the same `cid` is stored once',
      description:
        'Each is answered by itself, in the order sent, with the words of `sendMessage`, or `account_suspended` for its sender. Blocks and what recipients accept hold as for users, their limits do not',
      body: SendMessagesBody,
      response: answers(dataAnswer(Type.Array(SentMessage)), 400),
    },
    handler: async (request) => {
      const sent = await sendMessages(services, keyOf(request), request.body.messages);
      const isEnglish = prefersEnglish(request.headers);
      const toAnswer = (one: (typeof sent)[number]) =>
        one instanceof ServiceError ? failureOf(one, isEnglish) : one;
      return { code: 200 as const, data: sent.map(toAnswer) };
    },
  });
}
