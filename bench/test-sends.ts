// What a test send does inside (interface 4.15), 64 at once to as many devices: encrypt, sign, send, record.
//   DATA_DIR       an empty folder
//   PUSH_SERVICE   the origin of a server that answers every push with 201
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { readConfig } from '../src/config.ts';
import { newId } from '../src/db/ids.ts';
import { saveSubscription } from '../src/push/subscriptions.ts';
import { sendTest } from '../src/push/test-send.ts';
import { openServices } from '../src/services.ts';
import { answerRounds } from './processes.ts';

const SENDERS = 64;

// Never closed: the process ends when it is told to, and its folder goes with it.
const services = await openServices(readConfig(process.env), pino({ level: 'silent' }));
const { config, db, keyring, now, sender } = services;
const sending = { db, sender, keyring, now, publicUrl: config.publicUrl };
const userIds: string[] = [];
for (let i = 0; i < SENDERS; i++) {
  const id = newId(now());
  await db.run`
    insert into users (id, username, username_key, password_hash, nickname, nickname_key, created_at)
    values (${id}, ${id}, ${id}, '!', ${id}, '', ${now()})`;
  await saveSubscription(db, {
    userId: id,
    subscription: {
      endpoint: `${process.env.PUSH_SERVICE}/${id}`,
      keys: { p256dh: newPoint(), auth: randomBytes(16).toString('base64url') },
    },
    sessionId: null,
    vapidPublic: keyring.publicKey,
    device: '',
    now: now(),
  });
  userIds.push(id);
}

function newPoint(): string {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .publicKey.export({ format: 'raw-public' })
    .toString('base64url');
}

answerRounds(async (seconds) => {
  const startedAt = performance.now();
  let lastAt = startedAt;
  let count = 0;
  await Promise.all(
    userIds.map(async (userId) => {
      while (lastAt < startedAt + seconds * 1000) {
        const entries = await sendTest(sending, userId, fail);
        if (entries?.[0]?.outcome !== 'accepted')
          throw new Error(`a push was not accepted: ${JSON.stringify(entries)}`);
        lastAt = performance.now();
        count++;
      }
    }),
  );
  return count / ((lastAt - startedAt) / 1000);
});

function fail(error: unknown): never {
  throw error;
}
