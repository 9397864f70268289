import type { AccountServices } from '../accounts/account-services.ts';
import { SESSION_TOUCH_MS } from '../accounts/sessions.ts';
import type { Stored } from '../chat/schemas.ts';
import { type SendingServices, sendMessage } from '../chat/sending.ts';
import type { Db } from '../db/db.ts';
import { overloaded, ServiceError } from '../errors.ts';
import type { ApiKey } from '../http/authenticate.ts';
import { readFields } from '../http/validation.ts';
import { findUser, userNotFound } from '../users/users.ts';
import { findSenderSessions, openSenderSession } from './key-sessions.ts';
import { KeyMessage } from './schemas.ts';

const MAX_ATTEMPTS = 5;

interface KeySending extends SendingServices {
  readonly accounts: Pick<AccountServices, 'authentication'>;
  readonly db: Db;
}

/**
 * Sends messages as their senders would, beyond the senders' limits, each by the session that the key has for its sender. Each is read and
 * judged by itself; those of one conversation are stored in their order.
 *
 * @returns for each what was stored, or why it was refused: as `sendMessage` and {@link openSenderSession} do, and `not-found` for a
 *   deleted recipient
 * @throws {Error} a fault of the database; some may be stored, and a repeat of all with their `cid`s resolves that
 */
export async function sendMessages(
  services: KeySending,
  key: ApiKey,
  messages: readonly object[],
): Promise<(Stored | ServiceError)[]> {
  const { clock, db } = services;
  const read = messages.map(readMessage);
  const sessions = await findSessions(services, key, read);

  function open(userId: string): Promise<string> {
    const opened = openSenderSession(db, key, userId, clock.now());
    sessions.set(userId, opened);
    return opened;
  }

  async function send(message: KeyMessage): Promise<Stored> {
    const { from, to } = message;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const session = sessions.get(from) ?? open(from);
      try {
        return await sendMessage(services, { userId: from, sessionId: await session }, message);
      } catch (error) {
        const word = error instanceof ServiceError ? error.word : '';
        if (['not_accepting', 'unblock_first'].includes(word) && !(await findUser(db, to)))
          throw userNotFound();
        if (word !== 'unauthenticated') throw error;
        // The session has ended meanwhile, as by its user.
        if (sessions.get(from) === session) sessions.delete(from);
      }
    }
    throw overloaded();
  }

  const lastOfPair = new Map<string, Promise<unknown>>();
  const sent = read.map((message) => {
    if (message instanceof ServiceError) return message;
    const pair = [message.from, message.to].sort().join(' '); // ids hold no spaces
    const before = lastOfPair.get(pair) ?? Promise.resolve();
    const stored = before.then(() => send(message)).catch(refusalOf);
    lastOfPair.set(pair, stored);
    return stored;
  });
  return Promise.all(sent);
}

function readMessage(message: object): KeyMessage | ServiceError {
  try {
    return readFields(KeyMessage, message);
  } catch (error) {
    return refusalOf(error);
  }
}

/** @throws what is no refusal */
function refusalOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  throw error;
}

/** The sessions that there are for the senders, by one statement for all messages. One that sends counts as used. */
async function findSessions(
  { accounts, clock, db }: KeySending,
  { id: keyId }: ApiKey,
  messages: readonly (KeyMessage | ServiceError)[],
): Promise<Map<string, Promise<string>>> {
  const senders = new Set(messages.flatMap((one) => (one instanceof ServiceError ? [] : [one.from])));
  const found = await findSenderSessions(db, keyId, [...senders]);
  const now = clock.now();
  const idle = found.filter(({ usedAt }) => now - usedAt > SESSION_TOUCH_MS);
  accounts.authentication.markUsed(idle.map(({ id }) => id));
  return new Map(found.map(({ userId, id }) => [userId, Promise.resolve(id)]));
}
