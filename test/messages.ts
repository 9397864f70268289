import type { SendBody, Stored } from '../src/chat/schemas.ts';
import type { Services } from '../src/services.ts';

/** Stores a message without the limit of its sender. @param now epoch milliseconds, when it was received */
export function sendMessage(
  { chat }: Pick<Services, 'chat'>,
  { userId, sessionId }: { userId: string; sessionId: string },
  { to, cid, body }: SendBody,
  now: number,
): Promise<Stored> {
  return chat.messages.send({ from: userId, sessionId, to, cid, body, now, pushAt: now });
}
