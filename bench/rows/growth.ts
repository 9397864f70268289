import { drive, requestBytes } from '../load.ts';
import { type Effort, median } from '../measuring.ts';
import { fillDatabase, type Person, signUp, usernameOf } from '../people.ts';
import { type ServerProcess, startDoorman, temporaryFolder } from '../processes.ts';
import { untilQuiet } from '../quiet.ts';
import { type Line, milliseconds } from '../table.ts';

const FEW = 1_000;
const ROUNDS = 5;

interface Town {
  readonly server: ServerProcess;
  readonly token: string;
  readonly people: readonly Person[];
  readonly size: number;
}

/** Every call but the full list, with a thousand users and with a thousand times as many: one caller, median times. */
export async function growth(effort: Effort): Promise<Line[]> {
  await using resources = new AsyncDisposableStack();
  async function openTown(size: number): Promise<Town> {
    const folder = resources.use(await temporaryFolder());
    const people = await fillDatabase(folder.path, size);
    const server = resources.use(await startDoorman(folder.path, { env: { BCRYPT_COST: '4' } }));
    const { token } = await signUp(server, 'alice');
    return { server, token, people, size };
  }
  const { growthCalls: calls } = effort;
  const few = await openTown(FEW);
  const many = await openTown(effort.crowd);

  const lines: Line[] = [];
  for (const { work, status = 200, request } of kinds) {
    const measure = async (town: Town, round: number) => {
      const requests = Array.from({ length: calls }, (_, i) => request(town, round * calls + i));
      const { latenciesMs } = await drive({
        port: town.server.port,
        requests,
        connections: 1,
        seconds: 60,
        calls,
        status,
      });
      return median(latenciesMs);
    };
    const times: { few: number; many: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await untilQuiet(effort.patienceSeconds);
      times.push({ few: await measure(few, round), many: await measure(many, round) });
    }
    const [fewMs, manyMs] = [median(times.map((time) => time.few)), median(times.map((time) => time.many))];
    lines.push({
      work: `${work}: ${effort.crowd.toLocaleString('en-US')} users by ${FEW.toLocaleString('en-US')}`,
      ours: milliseconds(manyMs),
      bare: milliseconds(fewMs),
      ratio: fewMs / manyMs,
    });
  }
  return lines;
}

/** Number `i` of a call asks for somebody whom none before asked for, so that nothing is ready yet. */
const kinds: readonly { work: string; status?: number; request: (town: Town, i: number) => Buffer }[] = [
  {
    work: 'register (bcrypt cost 4)',
    request: (_town, i) =>
      requestBytes('POST', '/api/register', { body: { username: `newcomer${i}`, password: 'secret' } }),
  },
  {
    work: 'login: looking up a name that nobody has',
    status: 400,
    request: (_town, i) =>
      requestBytes('POST', '/api/login', { body: { username: `nobody${i}`, password: 'secret' } }),
  },
  {
    work: 'profile, not ready',
    request: ({ people }, i) => requestBytes('GET', `/api/user/profile/${people[i]?.id}`),
  },
  {
    work: 'page of 50 users',
    request: ({ token, people }, i) => {
      // What `next` would have said after this user.
      const after = Buffer.from(people[i]?.id ?? '').toString('base64url');
      return requestBytes('GET', `/api/users?limit=50&after=${after}`, { token });
    },
  },
  {
    work: 'search that finds 10',
    request: ({ token, size }, i) => {
      const prefix = usernameOf(Math.floor((i * size) / FEW)).slice(0, -1);
      return requestBytes('GET', `/api/users?q=${prefix}`, { token });
    },
  },
  {
    work: 'search that finds everybody, 20 shown',
    request: ({ token }) => requestBytes('GET', '/api/users?q=user&limit=20', { token }),
  },
  {
    work: 'block',
    request: ({ token, people }, i) =>
      requestBytes('POST', '/api/user/block', { token, body: { blockedId: people[i]?.id ?? '' } }),
  },
];
