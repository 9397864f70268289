import type { Clock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import type { ChatServices } from './chat-services.ts';
import type { SendBody, Stored } from './schemas.ts';

/**
 * Sends a message within the sender's limit (`RATE_LIMIT_MESSAGES`): the `send` frame and its HTTP twin (docs/protocol.md, `send`).
 *
 * @throws {ServiceError} `rate-limited`, word `too_many_messages`; and what `MessageBatches.send` throws
 */
export async function sendWithinLimit(
  { messageLimit, messages }: Pick<ChatServices, 'messageLimit' | 'messages'>,
  { monotonicMs, now }: Clock,
  { userId: from, sessionId }: { userId: string; sessionId: string },
  { to, cid, body }: SendBody,
): Promise<Stored> {
  const verdict = messageLimit?.take(from, monotonicMs());
  const judged = verdict instanceof Promise ? await verdict : verdict;
  if (judged && !judged.allowed)
    throw new ServiceError('rate-limited', 'too_many_messages', '消息发送过于频繁，请稍后再试', {
      retryAfterSeconds: judged.retryAfterSeconds,
    });
  return messages.send({ from, sessionId, to, cid, body, now: now() });
}
