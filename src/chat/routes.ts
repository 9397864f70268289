import { Type } from 'typebox';
import { callerOf, disconnectSignal } from '../http/authenticate.ts';
import { answers, codeOf, dataAnswer } from '../http/envelope.ts';
import { NextPage, PageSeq } from '../http/pages.ts';
import type { App } from '../http/server.ts';
import { answerMessageRequest } from '../relations/message-requests.ts';
import { MessageRequestAnswer, MessageRequestBody } from '../relations/schemas.ts';
import type { Services } from '../services.ts';
import { editMessage, reactToMessage, unsendMessage } from './change-message.ts';
import { listConversations } from './conversations.ts';
import { readHistory } from './history.ts';
import { clearConversation, setConversation } from './keeping/keep-conversation.ts';
import { markRead } from './marks.ts';
import {
  ClearBody,
  Conversation,
  ConversationBody,
  ConversationPage,
  ConversationsFields,
  EditBody,
  EditedAnswer,
  HistoryFields,
  HistoryPage,
  KeptConversation,
  MarkBody,
  MarkedAnswer,
  ReactBody,
  ReactedAnswer,
  SendBody,
  Stored,
  UnsendBody,
  UnsentAnswer,
} from './schemas.ts';
import { FoundMessage, SearchFields, SearchPage } from './search/schemas.ts';
import { searchWithinLimit } from './search/search.ts';
import { sendWithinLimit, withinLimit } from './sending.ts';

/** The envelope of a page: `data` is the list, and the fields of the page are beside it. */
const ConversationsAnswer = Type.Object({
  code: codeOf(200),
  data: Type.Array(Conversation),
  pinned: ConversationPage.properties.pinned,
  people: ConversationPage.properties.people,
  seq: PageSeq,
  next: NextPage,
});

const SearchAnswer = Type.Object({
  code: codeOf(200),
  data: Type.Array(FoundMessage),
  people: SearchPage.properties.people,
  searched: SearchPage.properties.searched,
  next: NextPage,
});

/** The HTTP twins of the frames in `frames.ts`. */
export async function chatRoutes(app: App, services: Services): Promise<void> {
  const { clock, db, events } = services;
  const unsend = withinLimit(services, unsendMessage);
  const edit = withinLimit(services, editMessage);
  const react = withinLimit(services, reactToMessage);
  const keep = withinLimit(services, setConversation);
  const clear = withinLimit(services, clearConversation);

  app.post('/api/messages', {
    schema: {
      operationId: 'sendMessage',
      summary: 'Send a message; a repeat with the same `cid` is stored once',
      body: SendBody,
      response: answers(
        dataAnswer(Stored),
        [400, 'message_self', 'cid_used', 'reply_unknown', 'picture_unknown'],
        401,
        [403, 'not_accepting', 'unblock_first'],
        [404, 'user_not_found'],
        [429, 'too_many_messages'],
      ),
    },
    handler: async (request) => ({
      code: 200 as const,
      data: await sendWithinLimit(services, callerOf(request), request.body),
    }),
  });

  app.post('/api/messages/unsend', {
    schema: {
      operationId: 'unsendMessage',
      summary: 'Take a message of your own back, within 24 hours',
      body: UnsendBody,
      response: answers(
        dataAnswer(UnsentAnswer),
        [400, 'too_late'],
        401,
        [404, 'user_not_found', 'message_not_found'],
        [429, 'too_many_messages'],
      ),
    },
    handler: async (request) => ({ code: 200 as const, data: await unsend(callerOf(request), request.body) }),
  });

  app.post('/api/messages/edit', {
    schema: {
      operationId: 'editMessage',
      summary: 'Give a message of your own another text, within 24 hours',
      body: EditBody,
      response: answers(
        dataAnswer(EditedAnswer),
        [400, 'message_unsent', 'too_late'],
        401,
        [403, 'not_accepting', 'unblock_first'],
        [404, 'user_not_found', 'message_not_found'],
        [429, 'too_many_messages'],
      ),
    },
    handler: async (request) => ({ code: 200 as const, data: await edit(callerOf(request), request.body) }),
  });

  app.post('/api/messages/react', {
    schema: {
      operationId: 'reactToMessage',
      summary: 'Set your one reaction to a message, or remove it',
      body: ReactBody,
      response: answers(
        dataAnswer(ReactedAnswer),
        [400, 'emoji_invalid', 'message_unsent'],
        401,
        [403, 'not_accepting', 'unblock_first'],
        [404, 'user_not_found', 'message_not_found'],
        [429, 'too_many_messages'],
      ),
    },
    handler: async (request) => ({ code: 200 as const, data: await react(callerOf(request), request.body) }),
  });

  app.get('/api/messages', {
    schema: {
      operationId: 'history',
      summary: 'Read a page of the messages with a user, oldest first',
      querystring: HistoryFields,
      response: answers(dataAnswer(HistoryPage), 400, 401),
    },
    handler: async (request) => ({
      code: 200 as const,
      data: await readHistory(db, callerOf(request).userId, request.query),
    }),
  });

  app.get('/api/search', {
    schema: {
      operationId: 'search',
      summary: 'Search in messages: a page of those that have all parts of `q`, conversation by conversation',
      querystring: SearchFields,
      response: answers(SearchAnswer, [400, 'bad_cursor'], 401, [429, 'too_many_searches']),
    },
    handler: async (request, reply) => {
      const { userId } = callerOf(request);
      const { items, ...rest } = await searchWithinLimit(
        services,
        userId,
        request.query,
        disconnectSignal(reply),
      );
      return { code: 200 as const, data: items, ...rest };
    },
  });

  app.post('/api/messages/mark', {
    schema: {
      operationId: 'markRead',
      summary: 'Mark a conversation as read up to a message',
      body: MarkBody,
      response: answers(dataAnswer(MarkedAnswer), 400, 401, [404, 'user_not_found']),
    },
    handler: async (request) => {
      const marks = await markRead({ db, events }, callerOf(request), request.body, clock.now());
      return { code: 200 as const, data: { peer: request.body.peer, ...marks } };
    },
  });

  app.get('/api/conversations', {
    schema: {
      operationId: 'conversations',
      summary:
        'List conversations, a page of them, or the one with a user; or those that wait as message requests',
      querystring: ConversationsFields,
      response: answers(ConversationsAnswer, [400, 'bad_cursor'], 401),
    },
    handler: async (request) => {
      const { items, ...rest } = await listConversations(
        db,
        callerOf(request).userId,
        request.query,
        clock.now(),
      );
      return { code: 200 as const, data: items, ...rest };
    },
  });

  app.post('/api/conversations/settings', {
    schema: {
      operationId: 'setConversation',
      summary: 'Mute, pin or archive a conversation, or mark it as unread',
      body: ConversationBody,
      response: answers(
        dataAnswer(KeptConversation),
        [400, 'nothing_to_change', 'too_many_pins'],
        401,
        [404, 'user_not_found', 'conversation_not_found'],
        [429, 'too_many_messages'],
      ),
    },
    handler: async (request) => ({ code: 200 as const, data: await keep(callerOf(request), request.body) }),
  });

  app.post('/api/conversations/clear', {
    schema: {
      operationId: 'clearConversation',
      summary: 'Delete the messages of a conversation up to a number, for yourself alone',
      body: ClearBody,
      response: answers(
        dataAnswer(KeptConversation),
        400,
        401,
        [404, 'user_not_found', 'conversation_not_found'],
        [429, 'too_many_messages'],
      ),
    },
    handler: async (request) => ({ code: 200 as const, data: await clear(callerOf(request), request.body) }),
  });

  app.post('/api/conversations/request', {
    schema: {
      operationId: 'answerMessageRequest',
      summary: 'Accept or decline the message request of a user',
      body: MessageRequestBody,
      response: answers(dataAnswer(MessageRequestAnswer), 400, 401, [404, 'no_request']),
    },
    handler: async (request) => ({
      code: 200 as const,
      data: await answerMessageRequest({ db, events }, callerOf(request), request.body, clock.now()),
    }),
  });
}
