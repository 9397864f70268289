import { drive, requestBytes } from '../load.ts';
import { alternate, type Effort } from '../measuring.ts';
import { fillDatabase, signUp } from '../people.ts';
import { CALLS_PER_SECOND, othersP99Ms } from '../probe.ts';
import {
  ask,
  residentBytes,
  type ServerProcess,
  startBareHttp,
  startDoorman,
  temporaryFolder,
} from '../processes.ts';
import { untilQuiet } from '../quiet.ts';
import { type Line, megabytes, milliseconds, perSecond } from '../table.ts';

const SAMPLE_MS = 10;

/** `GET /api/users` without parameters: the time of the first call, the rate of later ones, memory, and others' waiting. */
export async function fullList(effort: Effort, profileFolder?: string): Promise<Line[]> {
  await using folder = await temporaryFolder();
  const [someone] = await fillDatabase(folder.path, effort.people);
  await using server = await startDoorman(folder.path, { env: { BCRYPT_COST: '4' }, profileFolder });
  const { token } = await signUp(server, 'alice');
  const requests = [requestBytes('GET', '/api/users', { token })];
  const call = async ({ port }: { port: number }, seconds: number, calls?: number) =>
    drive({ port, requests, connections: 1, seconds, ...(calls && { calls }) });

  const profile = requestBytes('GET', `/api/user/profile/${someone?.id}`);
  // The heap takes its size under any load; what grows afterwards is the list's doing.
  await drive({ port: server.port, requests: [profile], connections: 64, seconds: effort.longSeconds });
  await untilQuiet(effort.patienceSeconds);
  const { result: first, grownBytes: firstGrowth } = await watchMemory(server, () => call(server, 60, 1));
  const firstMs = first.latenciesMs[0] ?? 0;
  const { bytes, data } = await ask(server, 'GET', '/api/users', { token });
  if (data.length !== effort.people + 1) throw new Error(`the list holds ${data.length} users`);
  await using bare = await startBareHttp(folder.path, bytes);
  const rate = async (server: ServerProcess) => (await call(server, effort.longSeconds / 3)).perSecond;

  await rate(server);
  await rate(bare);
  const { result: compared, grownBytes } = await watchMemory(server, () =>
    alternate(
      effort,
      () => rate(server),
      () => rate(bare),
    ),
  );
  const cold = (firstMs / 1000) * compared.bare;

  const p99 = await othersP99Ms(server, profile, { ...effort, rounds: effort.pairs }, () => rate(server));

  const what = `full list, ${effort.people.toLocaleString('en-US')} users`;
  return [
    {
      work: `${what} (${megabytes(bytes.length)})`,
      ours: perSecond(compared.ours),
      bare: perSecond(compared.bare),
      ratio: compared.ratio,
      judged: { value: compared.ratio, unit: 'ratio', floor: 0.08, aim: 0.4 },
    },
    {
      work: `${what}: the first call`,
      ours: milliseconds(firstMs),
      bare: milliseconds(1000 / compared.bare),
      ratio: 1 / cold,
    },
    {
      work: `${what}: growth of memory by later calls`,
      ours: megabytes(grownBytes),
      bare: '',
      judged: { value: grownBytes / 1024 / 1024, unit: 'MB', floor: 16, aim: 16 },
    },
    { work: `${what}: growth by the first, which keeps ready bytes`, ours: megabytes(firstGrowth), bare: '' },
    {
      work: `p99 of ${CALLS_PER_SECOND} profiles/s during full lists`,
      ours: milliseconds(p99),
      bare: '',
      judged: { value: p99, unit: 'ms', floor: 25, aim: 25 },
    },
  ];
}

/** How far the server's resident memory rose above where it was, at its highest, while `work` ran. */
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
