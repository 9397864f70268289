import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { requestBytes } from '../load.ts';
import { type Effort, median } from '../measuring.ts';
import { PASSWORD } from '../people.ts';
import { ask, type ServerProcess, startBareHttp, startDoorman, temporaryFolder } from '../processes.ts';
import { openThinSocket } from '../socket-load.ts';
import { measureStandstill } from '../standstill-probe.ts';
import { type Line, milliseconds } from '../table.ts';
import { fillTown, personOf, type Town, VICTIM } from '../town.ts';

const WATCHED = 500;
/** How many users send the others' messages: each may send 30 in 10 s. */
const OTHERS = 100;
const LOOK_MS = 20;
/** Within what one user may ask for in 10 s. */
const MOST_MESSAGES = 25;
const SYNCS = 2;

interface Scene {
  readonly server: ServerProcess;
  readonly town: Town;
  readonly pushOrigin: string;
  /** How often each thing is done in a round. */
  readonly times: number;
}

/**
 * The longest time in which the service answers no one else while one thing is done, on a database with two million
 * messages; and how long messages of others take while a user with 100,000 conversations syncs.
 */
export async function standstill(effort: Effort, profileFolder?: string): Promise<Line[]> {
  await using folder = await temporaryFolder();
  const town = await fillTown(folder.path, effort.messages);
  using _ = { [Symbol.dispose]: () => town.close() };
  await using pushService = await startBareHttp(folder.path, Buffer.alloc(0), 201);
  await using server = await startDoorman(folder.path, {
    env: { BCRYPT_COST: '4' },
    profileFolder,
    runsHourly: true,
  });
  const scene = {
    server,
    town,
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
  for (const [name, { prepare, work }] of Object.entries(acts)) {
    const act = {
      prepare: async (round: number) => {
        await prepare?.(scene, round);
        return cheap;
      },
      work: (round: number) => work(scene, round),
    };
    // Once unmeasured, so that everything is compiled.
    await act.prepare(-1);
    await act.work(-1);
    const { beyondMedianMs } = await measureStandstill(server.port, rounds, act);
    lines.push(
      toLine(`standstill by ${name}`, beyondMedianMs, median(idle.beyondMedianMs), { floor: 20, aim: 10 }),
    );
  }

  const { worstMs } = await measureStandstill(server.port, rounds, {
    prepare: () => messagesOfOthers(scene),
    work: () => sync(scene),
  });
  const sized = `${town.persons.toLocaleString('en-US')} conversations`;
  lines.push(
    toLine(`longest message of others while ${sized} sync`, worstMs, median(idle.worstMs), {
      floor: 50,
      aim: 50,
    }),
  );
  return lines;
}

/** What else the machine does only adds to a round, so the least one says most of the service: it is judged. */
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
    judged: { value: least, unit: 'ms', ...bounds },
  };
}

interface Doing {
  /** What is not measured. */
  prepare?(scene: Scene, round: number): Promise<void>;
  work(scene: Scene, round: number): Promise<void>;
}

const acts: Record<string, Doing> = {
  login: {
    async work({ server, times, town }, round) {
      for (let i = 0; i < times; i++) await logIn(server, personOf(((round + 1) * times + i) % town.persons));
    },
  },

  hello: {
    async work({ server, times }) {
      const token = await logIn(server, VICTIM);
      for (let i = 0; i < times; i++) await onSocket(server, token, async () => {});
    },
  },

  send: {
    async work({ server, times, town }, round) {
      const token = await logIn(server, personOf(round + 1));
      for (let i = 0; i < Math.min(times, MOST_MESSAGES); i++)
        await send(server, token, i % 2 ? VICTIM : personOf((round + 2) % town.persons));
    },
  },

  watch: {
    async work({ server, town }) {
      const userIds = Array.from({ length: Math.min(WATCHED, town.persons) }, (_, i) => personOf(i));
      for (const name of [VICTIM, personOf(0)])
        await onSocket(server, await logIn(server, name), (request) => request({ type: 'watch', userIds }));
    },
  },

  subscribe: {
    async work(scene) {
      const token = await logIn(scene.server, VICTIM);
      for (let i = 0; i < scene.times; i++) await subscribe(scene, VICTIM, token);
    },
  },

  'a push to a user with many conversations': {
    async work(scene, round) {
      const { server } = scene;
      const token = await logIn(server, VICTIM);
      await subscribe(scene, VICTIM, token);
      const newest = async () => (await ask(server, 'GET', '/api/push/log', { token })).data[0]?.id;
      const before = await newest();
      await send(server, await logIn(server, personOf(round + 1)), VICTIM);
      while ((await newest()) === before) await delay(LOOK_MS);
    },
  },

  'the hourly work': {
    async prepare({ town }) {
      town.addAnHour();
    },
    async work({ server, town }) {
      process.kill(server.pid, 'SIGUSR2');
      while (!town.isTrimmed()) await delay(LOOK_MS);
    },
  },
};

async function send(server: ServerProcess, token: string, to: string): Promise<void> {
  const body = { to, cid: crypto.randomUUID(), body: 'hello' };
  await ask(server, 'POST', '/api/messages', { token, body });
}

async function logIn(server: ServerProcess, username: string): Promise<string> {
  const { data } = await ask(server, 'POST', '/api/login', { body: { username, password: PASSWORD } });
  return data.token;
}

async function subscribe({ server, pushOrigin }: Scene, userId: string, token: string): Promise<void> {
  const p256dh = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({
    format: 'raw-public',
  });
  const keys = { p256dh: p256dh.toString('base64url'), auth: randomBytes(16).toString('base64url') };
  const subscription = { endpoint: `${pushOrigin}/${crypto.randomUUID()}`, keys };
  await ask(server, 'POST', '/api/push/subscribe', { token, body: { userId, subscription } });
}

/** Connects, says hello, and works with it until `work` is done. */
async function onSocket(
  { port }: ServerProcess,
  token: string,
  work: (request: (frame: object) => Promise<void>) => Promise<void>,
): Promise<void> {
  const socket = await openThinSocket(port, '127.0.0.1', (why) => {
    throw why; // nothing measured afterwards would be true
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

async function messagesOfOthers({ server, town }: Scene): Promise<Buffer[]> {
  const others = Array.from({ length: Math.min(OTHERS, town.persons / 2) }, (_, i) => i);
  const tokens: string[] = [];
  for (const i of others) tokens.push(await logIn(server, personOf(i)));
  return Array.from({ length: tokens.length * 20 }, (_, i) => {
    const from = i % tokens.length;
    const body = { to: personOf((from + 1) % town.persons), cid: crypto.randomUUID(), body: 'hello' };
    return requestBytes('POST', '/api/messages', { token: tokens[from] ?? '', body });
  });
}

async function sync({ server }: Scene): Promise<void> {
  const token = await logIn(server, VICTIM);
  for (let i = 0; i < SYNCS; i++) await ask(server, 'GET', '/api/sync', { token });
}
