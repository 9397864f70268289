import type { Static } from 'typebox';
import type { FrameSender } from '../frames/frame-sender.ts';
import { answerMessageRequest } from '../relations/message-requests.ts';
import type { MessageRequestBody } from '../relations/schemas.ts';
import type { Services } from '../services.ts';
import { editMessage, reactToMessage, unsendMessage } from './change-message.ts';
import { listConversations } from './conversations.ts';
import { readHistory } from './history.ts';
import { clearConversation, setConversation } from './keeping/keep-conversation.ts';
import { markRead } from './marks.ts';
import type { ConversationsFields, HistoryFields, MarkBody, SendBody, TypingFields } from './schemas.ts';
import type { SearchFields } from './search/schemas.ts';
import { searchWithinLimit } from './search/search.ts';
import { type ChangeRule, sendWithinLimit, withinLimit } from './sending.ts';

/** The frames of a conversation; their HTTP twins are in `routes.ts`. */
export function chatFrames(services: Services) {
  const { chat, clock, db, events } = services;
  const limited = <Fields, Answer>(rule: ChangeRule<Fields, Answer>) => withinLimit(services, rule);
  return {
    send: (from: FrameSender, frame: SendBody) => sendWithinLimit(services, from, frame),
    mark: async (from: FrameSender, frame: MarkBody) => ({
      peer: frame.peer,
      ...(await markRead({ db, events }, from, frame, clock.now())),
    }),
    typing: (from: FrameSender, { to }: Static<typeof TypingFields>) => chat.forwardTyping(from.userId, to),
    conversations: (from: FrameSender, frame: ConversationsFields) =>
      listConversations(db, from.userId, frame, clock.now()),
    message_request: (from: FrameSender, frame: MessageRequestBody) =>
      answerMessageRequest({ db, events }, from, frame, clock.now()),
    history: (from: FrameSender, frame: HistoryFields) => readHistory(db, from.userId, frame),
    search: (from: FrameSender, frame: SearchFields) =>
      searchWithinLimit({ chat, db }, from.userId, frame, from.leaving),
    unsend: limited(unsendMessage),
    edit: limited(editMessage),
    react: limited(reactToMessage),
    conversation: limited(setConversation),
    clear: limited(clearConversation),
  };
}
