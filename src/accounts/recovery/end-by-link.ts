import { timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../errors.ts';
import type { Inboxes } from '../../inbox/inbox.ts';
import type { ActingClient } from '../log/account-log.ts';
import type { Mac } from '../secrets.ts';
import { endSession } from '../sessions.ts';

/** The token of the link that ends a session: its id with a MAC of it, so that no row has to be stored. */
export function endLinkToken(mac: Mac, sessionId: string): string {
  return `${sessionId}.${mac('end-session', sessionId)}`;
}

/**
 * Ends the session that the link names, as {@link endSession} does.
 *
 * @returns whose session it was
 * @throws {ServiceError} `invalid`, word `link_invalid`, for a token that is no such link, or if the session has ended
 */
export async function endSessionByLink(
  inboxes: Inboxes,
  mac: Mac,
  token: string,
  client: ActingClient,
  now: number,
): Promise<string> {
  const [sessionId = ''] = token.split('.', 1);
  if (!isEqual(token, endLinkToken(mac, sessionId))) throw linkInvalid();
  const session = await inboxes.db.get<{ user_id: string }>`
    select user_id from sessions where id = ${sessionId}`;
  if (!session) throw linkInvalid();
  await endSession(inboxes, session.user_id, sessionId, now, client).catch((error) => {
    throw error instanceof ServiceError && error.word === 'session_not_found' ? linkInvalid() : error;
  });
  return session.user_id;
}

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function linkInvalid(): ServiceError {
  const english = 'The link is not valid, or the device was signed out already';
  return new ServiceError('invalid', 'link_invalid', '链接无效，或该设备已退出登录', { english });
}
