import { defineFrame } from '../frames/define-frame.ts';
import type { Services } from '../services.ts';
import { listConversations } from './conversations.ts';
import { readHistory } from './history.ts';
import { markRead } from './marks.ts';
import { ConversationsFields, HistoryFields, MarkBody, SendBody, TypingFields } from './schemas.ts';
import { sendWithinLimit } from './sending.ts';

/** The frames of a conversation; their HTTP twins are in `routes.ts`. */
export function chatFrames({ chat, clock, db, events }: Services) {
  return {
    send: defineFrame(SendBody, (from, frame) => sendWithinLimit(chat, clock, from, frame)),
    mark: defineFrame(MarkBody, async (from, frame) => ({
      peer: frame.peer,
      ...(await markRead({ db, events }, from, frame, clock.now())),
    })),
    typing: defineFrame(TypingFields, async (from, { to }) => {
      await chat.typing.forward(from.userId, to);
      return undefined;
    }),
    conversations: defineFrame(ConversationsFields, (from, frame) =>
      listConversations(db, from.userId, frame),
    ),
    history: defineFrame(HistoryFields, (from, frame) => readHistory(db, from.userId, frame)),
  };
}
