import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { ManualClock } from '../clocks.ts';
import type { DatabaseSettings, TestDatabase } from '../databases.ts';
import type { Body } from '../harness.ts';
import { connectPostgres } from '../postgres-client.ts';
import { type PushService, type SavedKeys, startPushService } from '../push-service.ts';
import { type SocketService, startSockets } from '../sockets.ts';

// Each folder was written by an earlier version, once on each of the two databases: the service of that version's own tests was
// used over HTTP and sockets, with a manual clock and a local push service. Each `.sql` file is the database at a moment at which
// the process could have been killed: tables and indexes of `sqlite_master` with their rows, or the output of
// `pg_dump --inserts`. Each `.jsonl` file holds what that version answered at that moment.
//   old-data           version 402b5b9, before 0.1.0, whose migrations then brought the database up to it; with a push in flight. Eight
//                      entries of dave's push log, which take up to a week to come about, were added by that version's `addToPushLog`
//   data-of-25a3ca3    version 25a3ca3, the tables of 0.1.0, with a pending push and two keys of each kind

/** The origin of the push service in the files. */
const OLD_ORIGIN = 'http://127.0.0.1:49999';

export type Actor = 'alice' | 'bob' | 'carol' | 'dave' | 'erin';

/** The first line of a `.jsonl` file. */
export interface Story<Device extends string, Session extends string> {
  /** When the database was written, epoch milliseconds. */
  now: number;
  publicKey: string;
  tokens: Record<Actor | Session, string>;
  endpoints: Record<Device, SavedKeys & { endpoint: string }>;
}

/** What one request was answered. */
export interface Answered {
  user: Actor;
  path: string;
  answer: Body;
}

/** The whole event log of a user, as frames. */
interface Logged {
  user: Actor;
  epoch: string;
  events: { seq: number; event: string }[];
}

export interface StoredService<S> {
  service: SocketService;
  pushService: PushService;
  clock: ManualClock;
  story: S;
  answers: Answered[];
  logs: Logged[];
}

/**
 * This version on the database of an earlier version, at the moment at which that was written.
 *
 * @param folder beside this file
 * @param prepare runs before the service
 */
export async function openStored<S extends Story<string, string>>(
  t: TestContext,
  database: TestDatabase,
  folder: string,
  prepare: (pushService: PushService, story: S) => void = () => {},
): Promise<StoredService<S>> {
  const clock = new ManualClock();
  const pushService = await startPushService({ now: clock.world.now });
  t.after(() => pushService[Symbol.asyncDispose]());
  const read = async (extension: string) => {
    const file = new URL(`${folder}/${database.kind}.${extension}`, import.meta.url);
    return (await readFile(file, 'utf8')).replaceAll(OLD_ORIGIN, pushService.origin);
  };
  const [dump, lines] = await Promise.all([read('sql'), read('jsonl')]);
  const [story, ...rest] = lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line)) as [S, ...(Answered | Logged)[]];
  clock.add(story.now - clock.world.now());
  for (const { endpoint, ...keys } of Object.values(story.endpoints))
    pushService.adopt(new URL(endpoint).pathname, keys, story.publicKey);
  prepare(pushService, story);
  const service = await startSockets(
    t,
    {
      ...database,
      async create(t) {
        const settings = await database.create(t);
        await load(settings, dump);
        return settings;
      },
    },
    {
      env: { PUSH_ALLOW_PRIVATE: '1', TOKEN_TTL: '180d', PUBLIC_URL: 'https://chat.example.org' },
      world: clock.world,
    },
  );
  return {
    service,
    pushService,
    clock,
    story,
    answers: rest.filter((line) => 'path' in line),
    logs: rest.filter((line) => 'events' in line),
  };
}

/** What an earlier version answered, with what this one adds: the values of users who have chosen nothing and changed no message. */
export function withNewFields({ path, answer }: Answered): Body {
  const { data } = answer;
  const [resource] = path.split('?');
  if (resource === '/api/messages')
    return { ...answer, data: { ...data, quoted: [], revision: 0, clearedN: 0 } };
  if (resource === '/api/conversations') return { ...answer, data: data.map(withSettings), pinned: [] };
  if (resource !== '/api/sync') return answer;
  const privacy = {
    messages: 'everyone',
    friend_requests: 'everyone',
    presence: 'everyone',
    read_receipts: true,
    listed: true,
  };
  const quiet = { until: 0, time_zone: 'UTC', windows: [] };
  const conversations = data.conversations.map(withSettings);
  return { ...answer, data: { ...data, privacy, quiet, messageRequests: 0, conversations, pinned: [] } };
}

const withSettings = (conversation: object) => ({
  ...conversation,
  revision: 0,
  mutedUntil: 0,
  pinnedAt: 0,
  archived: 0,
  markedUnread: 0,
  clearedN: 0,
});

/** Each device gets every event after a position that it may have, as it was. */
export async function resumeAnywhere({
  service,
  story,
  logs,
}: StoredService<Story<string, never>>): Promise<void> {
  for (const { user, epoch, events } of logs)
    for (const seq of [0, Math.floor(events.length / 2), events.length]) {
      const socket = await service.connect();
      const { data } = await socket.hello({ token: story.tokens[user], epoch, seq, visible: false });
      assert.deepEqual([data.resumed, data.seq], [true, events.length], user);
      const sent = socket.unread.filter(({ type }) => type === 'event');
      assert.deepEqual(sent, events.slice(seq), `${user} from ${seq}`);
      socket.ws.close();
      await socket.ended;
    }
}

async function load(settings: DatabaseSettings, dump: string): Promise<void> {
  if ('dataDir' in settings) {
    const path = join(settings.dataDir, 'doorman.db');
    await rm(path);
    using db = new DatabaseSync(path);
    db.exec(`begin; ${dump} commit;`);
  } else {
    await using sql = await connectPostgres(settings.databaseUrl);
    await sql.rows(`drop schema public cascade; create schema public; ${dump}`);
  }
}
