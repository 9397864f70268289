import { type Effort, percentile } from '../measuring.ts';
import { type ServerProcess, startBareRelay, startDoorman, temporaryFolder } from '../processes.ts';
import { type Line, milliseconds } from '../table.ts';
import { chatAround, connectTalkers, pairUp, signUpTalkers, strangers, type Talker } from '../talking.ts';

/** A tenth of all connections send, to another tenth. */
const SENDING_SHARE = 10;
const EVERY_SECONDS = 5;

interface Crowded {
  readonly bytesEach: number;
  readonly deliveredMs: number[];
}

/**
 * Ten thousand people with a connection each on one process; a thousand of them write a message every five seconds to
 * a thousand others. What a connection takes, all told, and how long a message is under way; for bare `ws` too.
 */
export async function tenThousand(effort: Effort, profileFolder?: string): Promise<Line[]> {
  await using folder = await temporaryFolder();
  const env = { BCRYPT_COST: '4' };
  await using server = await startDoorman(folder.path, { env, profileFolder, tellsMemory: true });
  const people = await signUpTalkers(server, 'talker', effort.multitude);
  const ours = await crowd(server, people, effort);
  await using bare = await startBareRelay();
  const theirs = await crowd(bare, strangers(effort.multitude), effort);

  const count = effort.multitude.toLocaleString('en-US');
  const kilobytes = ({ bytesEach }: Crowded) => `${(bytesEach / 1024).toFixed(1)} KB`;
  const p99 = ({ deliveredMs }: Crowded) => milliseconds(percentile(deliveredMs, 99));
  const p50 = ({ deliveredMs }: Crowded) => milliseconds(percentile(deliveredMs, 50));
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
    },
  ];
}

async function crowd(server: ServerProcess, talkers: readonly Talker[], effort: Effort): Promise<Crowded> {
  await using stack = new AsyncDisposableStack();
  const half = talkers.length / 2;
  // The first half makes the heap grow to its size.
  const sockets = await connectTalkers(server.port, talkers.slice(0, half), stack);
  const before = await server.settledBytes();
  sockets.push(...(await connectTalkers(server.port, talkers.slice(half), stack)));
  const bytesEach = ((await server.settledBytes()) - before) / half;
  const talking = (2 * talkers.length) / SENDING_SHARE;
  const pairs = pairUp(talkers.slice(0, talking), sockets.slice(0, talking));
  return { bytesEach, deliveredMs: await chatAround(pairs, EVERY_SECONDS, effort.talkSeconds) };
}
