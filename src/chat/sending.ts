import type { Clock } from '../clock.ts';
import { refuseAbove } from '../limits/local-limits.ts';
import { pushDueAt } from '../push/decide/pending.ts';
import type { PushServices } from '../push/push-services.ts';
import type { ChatServices } from './chat-services.ts';
import type { SendBody, Stored } from './schemas.ts';

/**
 * Sends a message within the sender's limit (`RATE_LIMIT_MESSAGES`): the `send` frame and its HTTP twin (docs/protocol.md, `send`).
 *
 * @throws {ServiceError} `rate-limited`, word `too_many_messages`; and what `MessageBatches.send` throws
 */
export async function sendWithinLimit(
  { chat: { messageLimit, messages }, clock, push }: { chat: ChatServices; clock: Clock; push: PushServices },
  { userId: from, sessionId }: { userId: string; sessionId: string },
  { to, cid, body }: SendBody,
): Promise<Stored> {
  const verdict = messageLimit?.take(from);
  const judged = verdict instanceof Promise ? await verdict : verdict;
  if (judged) refuseAbove(judged, ['too_many_messages', '消息发送过于频繁，请稍后再试']);
  const now = clock.now();
  const pushAt = pushDueAt(now, push.attention.mayBeAttentive(to));
  return messages.send({ from, sessionId, to, cid, body, now, pushAt });
}
