import type { SendBody, Stored } from '../src/chat/schemas.ts';
import type { Services } from '../src/services.ts';

/** Stores a message without the limit of its sender. @param now epoch milliseconds, when it was received */
export function sendMessage(
  { chat }: Pick<Services, 'chat'>,
  { userId, sessionId }: { userId: string; sessionId: string },
  message: SendBody,
  now: number,
): Promise<Stored> {
  return chat.messages.send({ ...message, from: userId, sessionId, now, pushAt: now });
}
