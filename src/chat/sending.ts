import type { Clock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import type { Inboxes } from '../inbox/inbox.ts';
import type { ChatServices } from './chat-services.ts';
import { sendMessage } from './messages.ts';
import type { SendBody, Stored } from './schemas.ts';

/**
 * Sends a message within the sender's limit of 30 in 10 seconds: the `send` frame and its HTTP twin (docs/protocol.md, `send`).
 *
 * @throws {ServiceError} `rate-limited`: `too_many_messages`, or `overloaded` when too many wait for this recipient;
 *   and what `sendMessage` throws
 */
export async function sendWithinLimit(
  inboxes: Inboxes,
  { messageLimit, recipientQueues }: Pick<ChatServices, 'messageLimit' | 'recipientQueues'>,
  { monotonicMs, now }: Clock,
  sender: { userId: string; sessionId: string },
  message: SendBody,
): Promise<Stored> {
  const { allowed, retryAfterSeconds } = messageLimit.take(sender.userId, monotonicMs());
  if (!allowed)
    throw new ServiceError('rate-limited', 'too_many_messages', '消息发送过于频繁，请稍后再试', {
      retryAfterSeconds,
    });
  const send = () => sendMessage(inboxes, sender, message, now());
  return recipientQueues ? recipientQueues.run(message.to, send) : send();
}
