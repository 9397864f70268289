import { requestBytes, runLoad } from '../http-load.ts';
import { waitForIdleMachine } from '../idle-machine.ts';
import { CALLS_PER_SECOND, measureP99During } from '../latency-probe.ts';
import { alternate, type Effort } from '../measure.ts';
import {
  call,
  residentBytes,
  type ServerProcess,
  startBareHttp,
  startDoorman,
  temporaryFolder,
} from '../processes.ts';
import { OperationCost } from '../processor-time.ts';
import { type Line, megabytes, milliseconds, perSecond } from '../table.ts';
import { fillDatabase, signUp } from '../users.ts';

const SAMPLE_MS = 10;

/** `GET /api/users` without parameters: the time of the first call, the rate of later ones, memory, and other callers' latency. */
export async function fullList(effort: Effort, profileFolder?: string): Promise<Line[]> {
  await using folder = await temporaryFolder();
  const [listed] = await fillDatabase(folder.path, effort.listedUsers);
  await using server = await startDoorman(folder.path, { env: { BCRYPT_COST: '4' }, profileFolder });
  const { token } = await signUp(server, 'alice');
  const requests = [requestBytes('GET', '/api/users', { token })];
  const getLists = async ({ port }: { port: number }, seconds: number, calls?: number) =>
    runLoad({ port, requests, connections: 1, seconds, ...(calls && { calls }) });

  const profile = requestBytes('GET', `/api/user/profile/${listed?.id}`);
  // Any load grows the heap to its usual size; later growth is caused by the list.
  await runLoad({ port: server.port, requests: [profile], connections: 64, seconds: effort.longSeconds });
  await waitForIdleMachine(effort.patienceSeconds);
  const firstCost = new OperationCost(server.micros);
  const { result: first, grownBytes: firstGrowth } = await watchMemory(server, () =>
    firstCost.during(() => getLists(server, 60, 1)),
  );
  const firstMs = first.latenciesMs[0] ?? 0;
  const { bytes, data } = await call(server, 'GET', '/api/users', { token });
  if (data.length !== effort.listedUsers + 1) throw new Error(`the list holds ${data.length} users`);
  await using bare = await startBareHttp(folder.path, bytes);
  const rate = (server: ServerProcess) => getLists(server, effort.longSeconds / 3);

  await rate(server);
  await rate(bare);
  const { result: compared, grownBytes } = await watchMemory(server, () =>
    alternate(
      effort,
      () => rate(server),
      () => rate(bare),
      { service: server.micros, bare: bare.micros },
    ),
  );
  const cold = (firstMs / 1000) * compared.bare;

  const p99 = await measureP99During(server, profile, { ...effort, rounds: effort.pairs }, () =>
    rate(server),
  );

  const what = `full list, ${effort.listedUsers.toLocaleString('en-US')} users`;
  return [
    {
      work: `${what} (${megabytes(bytes.length)})`,
      ours: perSecond(compared.ours),
      bare: perSecond(compared.bare),
      ratio: compared.ratio,
      micros: compared.micros,
      target: { value: compared.ratio, unit: 'ratio', floor: 0.08, aim: 0.4 },
    },
    {
      work: `${what}: the first call`,
      ours: milliseconds(firstMs),
      bare: milliseconds(1000 / compared.bare),
      ratio: 1 / cold,
      micros: { service: firstCost.microsEach },
    },
    {
      work: `${what}: growth of memory by later calls`,
      ours: megabytes(grownBytes),
      bare: '',
      target: { value: grownBytes / 1024 / 1024, unit: 'MB', floor: 16, aim: 16 },
    },
    { work: `${what}: growth by the first, which keeps ready bytes`, ours: megabytes(firstGrowth), bare: '' },
    {
      work: `p99 of ${CALLS_PER_SECOND} profiles/s during full lists`,
      ours: milliseconds(p99),
      bare: '',
      target: { value: p99, unit: 'ms', floor: 25, aim: 25 },
    },
  ];
}

/** The peak growth of the server's resident memory while `work` ran. */
async function watchMemory<T>(
  { pid }: ServerProcess,
  work: () => Promise<T>,
): Promise<{ result: T; grownBytes: number }> {
  const before = (await residentBytes(pid)) ?? 0;
  let highest = before;
  const sample = async () => {
    highest = Math.max(highest, (await residentBytes(pid)) ?? 0);
  };
  const timer = setInterval(sample, SAMPLE_MS);
  const result = await work();
  clearInterval(timer);
  await sample();
  return { result, grownBytes: highest - before };
}
