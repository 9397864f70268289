import { requestBytes, runLoad } from '../http-load.ts';
import { waitForIdleMachine } from '../idle-machine.ts';
import { type Effort, median } from '../measure.ts';
import { type ServerProcess, startDoorman, temporaryFolder } from '../processes.ts';
import { OperationCost } from '../processor-time.ts';
import { type Line, milliseconds } from '../table.ts';
import { fillDatabase, signUp, type User, usernameOf } from '../users.ts';

const FEW = 1_000;
const ROUNDS = 5;

interface SizedServer {
  readonly server: ServerProcess;
  readonly token: string;
  /** Some of its users. */
  readonly users: readonly User[];
  readonly size: number;
}

/** Calls with a thousand users and with a thousand times as many: one caller, median times. */
export async function growth(effort: Effort): Promise<Line[]> {
  await using resources = new AsyncDisposableStack();
  async function startWith(size: number): Promise<SizedServer> {
    const folder = resources.use(await temporaryFolder());
    const users = await fillDatabase(folder.path, size);
    const server = resources.use(await startDoorman(folder.path, { env: { BCRYPT_COST: '4' } }));
    const { token } = await signUp(server, 'alice');
    return { server, token, users, size };
  }
  const { growthCalls: calls } = effort;
  const few = await startWith(FEW);
  const many = await startWith(effort.manyUsers);

  const lines: Line[] = [];
  for (const { work, status = 200, request, bar } of kinds) {
    const fewCost = new OperationCost(few.server.micros);
    const manyCost = new OperationCost(many.server.micros);
    const measure = async (sized: SizedServer, cost: OperationCost, round: number) => {
      const requests = Array.from({ length: calls }, (_, i) => request(sized, round * calls + i));
      const { latenciesMs } = await cost.during(() =>
        runLoad({ port: sized.server.port, requests, connections: 1, seconds: 60, calls, status }),
      );
      return median(latenciesMs);
    };
    const times: { few: number; many: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await waitForIdleMachine(effort.patienceSeconds);
      times.push({ few: await measure(few, fewCost, round), many: await measure(many, manyCost, round) });
    }
    const grown = (manyCost.microsEach ?? Number.NaN) / (fewCost.microsEach ?? Number.NaN);
    const [fewMs, manyMs] = [median(times.map((time) => time.few)), median(times.map((time) => time.many))];
    lines.push({
      work: `${work}: ${effort.manyUsers.toLocaleString('en-US')} users by ${FEW.toLocaleString('en-US')}`,
      ours: milliseconds(manyMs),
      bare: milliseconds(fewMs),
      ratio: fewMs / manyMs,
      micros: { service: manyCost.microsEach, bare: fewCost.microsEach },
      ...(bar !== undefined && { target: { value: grown, unit: 'times', floor: bar, aim: bar } }),
    });
  }
  return lines;
}

/** Call `i` is about another user than all earlier calls, so that nothing is cached yet. */
const kinds: readonly {
  work: string;
  status?: number;
  request: (sized: SizedServer, i: number) => Buffer;
  /** By how many times the processor time may grow. */
  bar?: number;
}[] = [
  {
    work: 'register (bcrypt cost 4)',
    request: (_sized, i) =>
      requestBytes('POST', '/api/register', { body: { username: `newcomer${i}`, password: 'secret' } }),
  },
  {
    work: 'login: looking up a name that no user has',
    status: 400,
    request: (_sized, i) =>
      requestBytes('POST', '/api/login', { body: { username: `unknown${i}`, password: 'secret' } }),
  },
  {
    work: 'profile, not ready',
    request: ({ users }, i) => requestBytes('GET', `/api/user/profile/${users[i]?.id}`),
  },
  {
    work: 'page of 50 users',
    request: ({ token, users }, i) => {
      // The `next` of a page that ends with this user.
      const after = Buffer.from(users[i]?.id ?? '').toString('base64url');
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
    work: 'search by the second word of a nickname that finds one, processor time',
    bar: 1.2,
    request: ({ token, size }, i) =>
      requestBytes('GET', `/api/users?q=${numberOf(size, i)}&limit=20`, { token }),
  },
  {
    work: 'search by two words that finds one, processor time',
    bar: 1.2,
    request: ({ token, size }, i) =>
      requestBytes('GET', `/api/users?q=${numberOf(size, i)}+ni&limit=20`, { token }),
  },
  {
    // Reading the rows of eleven users costs more among many, as a page of fifty does.
    work: 'search by the second word of a nickname that finds 11',
    request: ({ token, size }, i) =>
      requestBytes('GET', `/api/users?q=${numberOf(size, i).slice(0, -1)}&limit=20`, { token }),
  },
  {
    work: 'search that finds everybody, 20 shown',
    request: ({ token }) => requestBytes('GET', '/api/users?q=user&limit=20', { token }),
  },
  {
    work: 'block',
    request: ({ token, users }, i) =>
      requestBytes('POST', '/api/user/block', { token, body: { blockedId: users[i]?.id ?? '' } }),
  },
];

/** The number in a nickname. It is not shorter than the other word, and without its last digit eleven of the numbers begin with it. */
function numberOf(size: number, i: number): string {
  return String((100 + (i % 900)) * (size / FEW));
}
