import { availableParallelism } from 'node:os';
import { requestBytes, runLoad } from '../http-load.ts';
import { CALLS_PER_SECOND, measureP99During } from '../latency-probe.ts';
import { alternate, type Effort } from '../measure.ts';
import { startDoorman, startRounds, temporaryFolder } from '../processes.ts';
import { type Line, milliseconds, perSecond } from '../table.ts';
import { PASSWORD, signUp } from '../users.ts';

/** `POST /api/login` with the right password, and how long other callers wait while all cores hash. */
export async function login(effort: Effort, profileFolder?: string): Promise<Line[]> {
  await using folder = await temporaryFolder();
  const cost = String(effort.bcryptCost);
  await using server = await startDoorman(folder.path, { env: { BCRYPT_COST: cost }, profileFolder });
  await using bare = await startRounds('bare/bcrypt.ts', { env: { COST: cost } });
  const { id, username } = await signUp(server, 'alice');
  const requests = [requestBytes('POST', '/api/login', { body: { username, password: PASSWORD } })];
  // Twice as many callers as concurrent hashes, so that the queue is never empty.
  const connections = 2 * availableParallelism();
  const logIn = () => runLoad({ port: server.port, requests, connections, seconds: effort.longSeconds });

  // A round takes seconds here, so half as many are enough.
  const pairs = Math.ceil(effort.pairs / 2);
  await logIn();
  const compared = await alternate({ ...effort, pairs }, logIn, () => bare.measure(effort.longSeconds), {
    service: server.micros,
    bare: bare.micros,
  });

  const profile = requestBytes('GET', `/api/user/profile/${id}`);
  const p99 = await measureP99During(server, profile, { ...effort, rounds: pairs }, logIn);

  return [
    {
      work: `login (bcrypt cost ${cost})`,
      ours: perSecond(compared.ours),
      bare: perSecond(compared.bare),
      ratio: compared.ratio,
      micros: compared.micros,
      target: { value: compared.ratio, unit: 'ratio', floor: 0.95, aim: 1 },
    },
    {
      work: `p99 of ${CALLS_PER_SECOND} profiles/s during logins`,
      ours: milliseconds(p99),
      bare: '',
      target: { value: p99, unit: 'ms', floor: 20, aim: 10 },
    },
  ];
}
