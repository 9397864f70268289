import { type FrameTable, frameKind } from '../frames/frame-kinds.ts';
import type { Services } from '../services.ts';
import { listConversations } from './conversations.ts';
import { markRead } from './marks.ts';
import { readHistory } from './messages.ts';
import { ConversationsFields, HistoryFields, MarkBody, SendBody, TypingFields } from './schemas.ts';
import { sendWithinLimit } from './sending.ts';

/** The frames of a conversation; their HTTP twins are in `routes.ts`. */
export function chatFrames(services: Services): FrameTable {
  const { db, events, now, typing } = services;
  return new Map([
    ['send', frameKind(SendBody, (from, frame) => sendWithinLimit(services, from, frame))],
    [
      'mark',
      frameKind(MarkBody, async (from, frame) => ({
        peer: frame.peer,
        ...(await markRead({ db, events }, from, frame, now())),
      })),
    ],
    [
      'typing',
      frameKind(TypingFields, async (from, { to }) => {
        await typing.pass(from.userId, to);
        return undefined;
      }),
    ],
    [
      'conversations',
      frameKind(ConversationsFields, (from, frame) => listConversations(db, from.userId, frame)),
    ],
    ['history', frameKind(HistoryFields, (from, frame) => readHistory(db, from.userId, frame))],
  ]);
}
