import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { requestBytes } from '../http-load.ts';
import { fillLargeDatabase, type LargeDatabase, POPULAR_USER, userIdOf } from '../large-database.ts';
import { type Effort, median } from '../measure.ts';
import { call, type ServerProcess, startBareHttp, startDoorman, temporaryFolder } from '../processes.ts';
import { OperationCost } from '../processor-time.ts';
import { measureStandstill } from '../standstill-probe.ts';
import { type Line, milliseconds } from '../table.ts';
import { openThinSocket } from '../thin-socket.ts';
import { PASSWORD } from '../users.ts';

const WATCHED = 500;
/** How many other users send messages: each may send 30 in 10 s. */
const OTHER_USERS = 100;
const POLL_MS = 20;
/** Within the limit of one user in 10 s. */
const MAX_MESSAGES = 25;
const SYNCS = 2;

interface Scene {
  readonly server: ServerProcess;
  readonly database: LargeDatabase;
  readonly pushOrigin: string;
  /** How often each action is done in a round. */
  readonly times: number;
}

/**
 * The longest time in which the service answers no other caller during one action, on a database with two million messages;
 * and how long messages of other users take while a user with 100,000 conversations syncs.
 */
export async function standstill(effort: Effort, profileFolder?: string): Promise<Line[]> {
  await using folder = await temporaryFolder();
  const database = await fillLargeDatabase(folder.path, effort.messages);
  using _ = { [Symbol.dispose]: () => database.close() };
  await using pushService = await startBareHttp(folder.path, Buffer.alloc(0), 201);
  await using server = await startDoorman(folder.path, {
    env: { BCRYPT_COST: '4' },
    profileFolder,
    runsHourly: true,
  });
  const scene = {
    server,
    database,
    pushOrigin: `http://127.0.0.1:${pushService.port}`,
    times: effort.standstillTimes,
  };
  const rounds = { rounds: effort.pairs, patienceSeconds: effort.patienceSeconds };
  const cheap = [requestBytes('GET', '/healthz')];

  const lines: Line[] = [];
  const idle = await measureStandstill(server.port, rounds, {
    prepare: async () => cheap,
    work: () => delay(1000),
  });
  for (const [name, { prepare, work }] of Object.entries(actions)) {
    const action = {
      prepare: async (round: number) => {
        await prepare?.(scene, round);
        return cheap;
      },
      work: (round: number) => work(scene, round),
    };
    // Once without measuring, so that everything is compiled.
    await action.prepare(-1);
    await action.work(-1);
    const { beyondMedianMs } = await measureStandstill(server.port, rounds, action);
    // Without the other connection, whose calls take processor time too.
    await action.prepare(effort.pairs);
    const cost = new OperationCost(server.micros);
    await cost.during(async () => ({ count: await action.work(effort.pairs) }));
    const line = toLine(`standstill by ${name}`, beyondMedianMs, median(idle.beyondMedianMs), {
      floor: 20,
      aim: 10,
    });
    lines.push({ ...line, micros: { service: cost.microsEach } });
  }

  const { worstMs } = await measureStandstill(server.port, rounds, {
    prepare: () => messagesOfOthers(scene),
    work: () => sync(scene),
  });
  const sized = `${database.users.toLocaleString('en-US')} conversations`;
  lines.push(
    toLine(`longest message of others while ${sized} sync`, worstMs, median(idle.worstMs), {
      floor: 50,
      aim: 50,
    }),
  );
  return lines;
}

/** Other processes only add time, so the least round is closest to the service: it is compared with the target. */
function toLine(
  work: string,
  ms: readonly number[],
  idleMs: number,
  bounds: { floor: number; aim: number },
): Line {
  const least = Math.min(...ms);
  return {
    work,
    ours: `${milliseconds(least)} (median ${milliseconds(median(ms))})`,
    bare: milliseconds(idleMs),
    target: { value: least, unit: 'ms', ...bounds },
  };
}

interface Action {
  /** Not measured. */
  prepare?(scene: Scene, round: number): Promise<void>;
  /** @returns how many there were, each with its logins */
  work(scene: Scene, round: number): Promise<number>;
}

const actions: Record<string, Action> = {
  login: {
    async work({ server, times, database }, round) {
      for (let i = 0; i < times; i++)
        await logIn(server, userIdOf(((round + 1) * times + i) % database.users));
      return times;
    },
  },

  hello: {
    async work({ server, times }) {
      const token = await logIn(server, POPULAR_USER);
      for (let i = 0; i < times; i++) await withSocket(server, token, async () => {});
      return times;
    },
  },

  send: {
    async work({ server, times, database }, round) {
      const token = await logIn(server, userIdOf(round + 1));
      const count = Math.min(times, MAX_MESSAGES);
      for (let i = 0; i < count; i++)
        await send(server, token, i % 2 ? POPULAR_USER : userIdOf((round + 2) % database.users));
      return count;
    },
  },

  watch: {
    async work({ server, database }) {
      const userIds = Array.from({ length: Math.min(WATCHED, database.users) }, (_, i) => userIdOf(i));
      const names = [POPULAR_USER, userIdOf(0)];
      for (const name of names)
        await withSocket(server, await logIn(server, name), (request) => request({ type: 'watch', userIds }));
      return names.length;
    },
  },

  subscribe: {
    async work(scene) {
      const token = await logIn(scene.server, POPULAR_USER);
      for (let i = 0; i < scene.times; i++) await subscribe(scene, POPULAR_USER, token);
      return scene.times;
    },
  },

  'a push to a user with many conversations': {
    async work(scene, round) {
      const { server } = scene;
      const token = await logIn(server, POPULAR_USER);
      await subscribe(scene, POPULAR_USER, token);
      const newest = async () => (await call(server, 'GET', '/api/push/log', { token })).data[0]?.id;
      const before = await newest();
      await send(server, await logIn(server, userIdOf(round + 1)), POPULAR_USER);
      while ((await newest()) === before) await delay(POLL_MS);
      return 1;
    },
  },

  'the hourly work': {
    async prepare({ database }) {
      database.addOldEvents();
    },
    async work({ server, database }) {
      process.kill(server.pid, 'SIGUSR2');
      while (!database.isTrimmed()) await delay(POLL_MS);
      return 1;
    },
  },
};

async function send(server: ServerProcess, token: string, to: string): Promise<void> {
  const body = { to, cid: crypto.randomUUID(), body: 'hello' };
  await call(server, 'POST', '/api/messages', { token, body });
}

async function logIn(server: ServerProcess, username: string): Promise<string> {
  const { data } = await call(server, 'POST', '/api/login', { body: { username, password: PASSWORD } });
  return data.token;
}

async function subscribe({ server, pushOrigin }: Scene, userId: string, token: string): Promise<void> {
  const p256dh = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({
    format: 'raw-public',
  });
  const keys = { p256dh: p256dh.toString('base64url'), auth: randomBytes(16).toString('base64url') };
  const subscription = { endpoint: `${pushOrigin}/${crypto.randomUUID()}`, keys };
  await call(server, 'POST', '/api/push/subscribe', { token, body: { userId, subscription } });
}

/** Connects, sends `hello`, runs `work` and closes. */
async function withSocket(
  { port }: ServerProcess,
  token: string,
  work: (request: (frame: object) => Promise<void>) => Promise<void>,
): Promise<void> {
  const socket = await openThinSocket(port, '127.0.0.1', (why) => {
    throw why; // further measurements would be wrong
  });
  const request = (frame: object) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    socket.onText = (text) => {
      const reply = JSON.parse(text.toString());
      if (reply.type !== 'reply') return;
      if (reply.code === 200) resolve();
      else reject(new Error(text.toString()));
    };
    socket.sendText(JSON.stringify({ id: '1', ...frame }));
    return promise;
  };
  await request({ type: 'hello', token });
  await work(request);
  socket.close();
}

async function messagesOfOthers({ server, database }: Scene): Promise<Buffer[]> {
  const others = Array.from({ length: Math.min(OTHER_USERS, database.users / 2) }, (_, i) => i);
  const tokens: string[] = [];
  for (const i of others) tokens.push(await logIn(server, userIdOf(i)));
  return Array.from({ length: tokens.length * 20 }, (_, i) => {
    const from = i % tokens.length;
    const body = { to: userIdOf((from + 1) % database.users), cid: crypto.randomUUID(), body: 'hello' };
    return requestBytes('POST', '/api/messages', { token: tokens[from] ?? '', body });
  });
}

async function sync({ server }: Scene): Promise<void> {
  const token = await logIn(server, POPULAR_USER);
  for (let i = 0; i < SYNCS; i++) await call(server, 'GET', '/api/sync', { token });
}
