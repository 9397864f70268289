// Pushes for messages that no device has seen: decide, encrypt, sign, send, record.
//   DATA_DIR       an empty folder
//   PUSH_SERVICE   the origin of a server that answers every push with 201
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { readConfig } from '../src/config/config.ts';
import { newId } from '../src/db/ids.ts';
import { openPushWorker } from '../src/push/send/worker.ts';
import { saveSubscription } from '../src/push/subscriptions/subscriptions.ts';
import { openServices } from '../src/services.ts';
import { answerRounds } from './processes.ts';

/** Users, each with one device and one conversation. */
const USERS = 1_000;

// Never closed: the parent process ends this one, and deletes its folder.
const services = await openServices(readConfig(process.env), pino({ level: 'warn' }));
const { config, db, push } = services;
const { now } = services.clock;
const worker = openPushWorker({ ...services, publicUrl: config.publicUrl });

const userIds: string[] = [];
for (let i = 0; i < USERS; i++) {
  const id = newId(now());
  await db.transaction(async (tx) => {
    await tx.run`
      insert into users (id, username, username_key, password_hash, nickname, nickname_key, created_at)
      values (${id}, ${id}, ${id}, '!', ${id}, '', ${now()})`;
    await tx.run`insert into inbox_heads (user_id) values (${id})`;
    await tx.run`
      insert into sessions (id, user_id, created_at, used_at) values (${id}, ${id}, ${now()}, ${now()})`;
  });
  await saveSubscription(db, {
    userId: id,
    subscription: {
      endpoint: `${process.env.PUSH_SERVICE}/${id}`,
      keys: { p256dh: newPoint(), auth: randomBytes(16).toString('base64url') },
    },
    sessionId: id,
    vapidPublic: push.vapidKeys.publicKey,
    device: '',
    language: 'en',
    now: now(),
  });
  userIds.push(id);
}
const [peerId = ''] = userIds;
await db.run`
  insert into conversations (user_id, peer_id, n, last_at, unread)
  select id, ${peerId}, 1, ${now()}, 1 from users where id <> ${peerId}`;

function newPoint(): string {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .publicKey.export({ format: 'raw-public' })
    .toString('base64url');
}

/** The pending pushes of one unseen message to every user. */
async function makeDue(): Promise<void> {
  await db.run`delete from push_pending`;
  await db.run`
    insert into push_pending (user_id, peer_id, first_seq, last_seq, count, due_at)
    select id, ${peerId}, 1, 1, 1, ${now()} from users where id <> ${peerId}`;
}

async function countJobs(): Promise<number> {
  const row = await db.get<{ n: number }>`select count(*) as n from push_jobs`;
  return row?.n ?? 0;
}

answerRounds(async () => {
  do await worker.runDue();
  while ((await countJobs()) > 0);
  return USERS - 1;
}, makeDue);
