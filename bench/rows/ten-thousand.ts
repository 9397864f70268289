import { type Effort, percentile } from '../measure.ts';
import {
  connectAll,
  type Participant,
  sendAtIntervals,
  signUpParticipants,
  toPairs,
  withoutAccounts,
} from '../message-load.ts';
import { type ServerProcess, startBareRelay, startDoorman, temporaryFolder } from '../processes.ts';
import { OperationCost } from '../processor-time.ts';
import { type Line, milliseconds } from '../table.ts';

/** A tenth of all connections send, to another tenth. */
const SENDING_SHARE = 10;
const EVERY_SECONDS = 5;

interface CrowdResult {
  readonly bytesEach: number;
  readonly deliveredMs: number[];
  /** Processor time of one message. */
  readonly micros: number | undefined;
}

/**
 * Ten thousand users with a connection each on one process; a thousand of them send a message every five seconds to a thousand
 * others. The memory of a connection, and how long a delivery takes; for bare `ws` too.
 */
export async function tenThousand(effort: Effort, profileFolder?: string): Promise<Line[]> {
  await using folder = await temporaryFolder();
  const env = { BCRYPT_COST: '4' };
  await using server = await startDoorman(folder.path, { env, profileFolder, reportsMemory: true });
  const users = await signUpParticipants(server, 'user', effort.manyConnections);
  const ours = await measureCrowd(server, users, effort);
  await using bare = await startBareRelay();
  const theirs = await measureCrowd(bare, withoutAccounts(effort.manyConnections), effort);

  const count = effort.manyConnections.toLocaleString('en-US');
  const kilobytes = ({ bytesEach }: CrowdResult) => `${(bytesEach / 1024).toFixed(1)} KB`;
  const p99 = ({ deliveredMs }: CrowdResult) => milliseconds(percentile(deliveredMs, 99));
  const p50 = ({ deliveredMs }: CrowdResult) => milliseconds(percentile(deliveredMs, 50));
  return [
    {
      work: `${count} connections, a tenth talking: memory of each`,
      ours: kilobytes(ours),
      bare: kilobytes(theirs),
      ratio: ours.bytesEach / theirs.bytesEach,
    },
    {
      work: `${count} connections: p50 and p99 until delivery`,
      ours: `${p50(ours)}, ${p99(ours)}`,
      bare: `${p50(theirs)}, ${p99(theirs)}`,
      micros: { service: ours.micros, bare: theirs.micros },
    },
  ];
}

async function measureCrowd(
  server: ServerProcess,
  participants: readonly Participant[],
  effort: Effort,
): Promise<CrowdResult> {
  await using stack = new AsyncDisposableStack();
  const half = participants.length / 2;
  // The first half grows the heap to its usual size.
  const sockets = await connectAll(server.port, participants.slice(0, half), stack);
  const before = await server.settledBytes();
  sockets.push(...(await connectAll(server.port, participants.slice(half), stack)));
  const bytesEach = ((await server.settledBytes()) - before) / half;
  const active = (2 * participants.length) / SENDING_SHARE;
  const pairs = toPairs(participants.slice(0, active), sockets.slice(0, active));
  const cost = new OperationCost(server.micros);
  const { deliveredMs } = await cost.during(async () => {
    const deliveredMs = await sendAtIntervals(pairs, EVERY_SECONDS, effort.sendingSeconds);
    return { count: deliveredMs.length, deliveredMs };
  });
  return { bytesEach, deliveredMs, micros: cost.microsEach };
}
