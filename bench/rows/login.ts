import { availableParallelism } from 'node:os';
import { drive, requestBytes } from '../load.ts';
import { alternate, type Effort } from '../measuring.ts';
import { PASSWORD, signUp } from '../people.ts';
import { CALLS_PER_SECOND, othersP99Ms } from '../probe.ts';
import { startDoorman, startRounds, temporaryFolder } from '../processes.ts';
import { type Line, milliseconds, perSecond } from '../table.ts';

/** `POST /api/login` with the right password, and how long others wait while all cores hash. */
export async function login(effort: Effort, profileFolder?: string): Promise<Line[]> {
  await using folder = await temporaryFolder();
  const cost = String(effort.bcryptCost);
  await using server = await startDoorman(folder.path, { env: { BCRYPT_COST: cost }, profileFolder });
  await using bare = await startRounds('bare/bcrypt.ts', { env: { COST: cost } });
  const { id, username } = await signUp(server, 'alice');
  const requests = [requestBytes('POST', '/api/login', { body: { username, password: PASSWORD } })];
  // Twice as many callers as hashes at once: somebody always waits for the next place.
  const connections = 2 * availableParallelism();
  const logIn = async () =>
    (await drive({ port: server.port, requests, connections, seconds: effort.longSeconds })).perSecond;

  // A round takes seconds here, so half as many will do.
  const pairs = Math.ceil(effort.pairs / 2);
  await logIn();
  const compared = await alternate({ ...effort, pairs }, logIn, () => bare.perSecond(effort.longSeconds));

  const profile = requestBytes('GET', `/api/user/profile/${id}`);
  const p99 = await othersP99Ms(server, profile, { ...effort, rounds: pairs }, logIn);

  return [
    {
      work: `login (bcrypt cost ${cost})`,
      ours: perSecond(compared.ours),
      bare: perSecond(compared.bare),
      ratio: compared.ratio,
      judged: { value: compared.ratio, unit: 'ratio', floor: 0.95, aim: 1 },
    },
    {
      work: `p99 of ${CALLS_PER_SECOND} profiles/s during logins`,
      ours: milliseconds(p99),
      bare: '',
      judged: { value: p99, unit: 'ms', floor: 20, aim: 10 },
    },
  ];
}
