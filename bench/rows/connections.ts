import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Effort } from '../measure.ts';
import { type ServerProcess, startBareWs, startDoorman, temporaryFolder } from '../processes.ts';
import { OperationCost } from '../processor-time.ts';
import type { Line } from '../table.ts';
import { signUp } from '../users.ts';

/** A user may have ten sockets (docs/protocol.md, Limits). */
const SOCKETS_EACH = 10;

/** The memory that an idle connection takes in the server after `hello`, after garbage collection. */
export async function connections(effort: Effort): Promise<Line[]> {
  await using folder = await temporaryFolder();
  await using server = await startDoorman(folder.path, { env: { BCRYPT_COST: '4' }, reportsMemory: true });
  await using bare = await startBareWs();
  const tokens: string[] = [];
  // Twice as many as are measured: the first half grows the heap to its usual size.
  for (let i = 0; i < (2 * effort.connections) / SOCKETS_EACH; i++)
    tokens.push((await signUp(server, `user${i}`)).token);

  const ours = await measureConnections(server, tokens);
  const theirs = await measureConnections(bare, tokens);
  const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(1)} KB`;
  return [
    {
      work: `memory of an idle connection, ${effort.connections.toLocaleString('en-US')} of them`,
      ours: kilobytes(ours.bytes),
      bare: kilobytes(theirs.bytes),
      ratio: ours.bytes / theirs.bytes,
      target: { value: ours.bytes / theirs.bytes, unit: 'times', floor: 1.6, aim: 1.3 },
      micros: { service: ours.micros, bare: theirs.micros },
    },
  ];
}

/** What one of the later half takes: memory, and processor time until it has its answer. */
async function measureConnections(
  server: ServerProcess,
  tokens: readonly string[],
): Promise<{ bytes: number; micros: number | undefined }> {
  const half = tokens.length / 2;
  await using sockets = new AsyncDisposableStack();
  for (const token of tokens.slice(0, half)) await connectAll(server, token, sockets);
  const before = await server.settledBytes();
  const opening = new OperationCost(server.micros);
  await opening.during(async () => {
    for (const token of tokens.slice(half)) await connectAll(server, token, sockets);
    return { count: half * SOCKETS_EACH };
  });
  const after = await server.settledBytes();
  return { bytes: (after - before) / (half * SOCKETS_EACH), micros: opening.microsEach };
}

async function connectAll(
  { port }: ServerProcess,
  token: string,
  sockets: AsyncDisposableStack,
): Promise<void> {
  await Promise.all(
    Array.from({ length: SOCKETS_EACH }, async () => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { perMessageDeflate: false });
      await once(socket, 'open');
      sockets.defer(() => socket.terminate());
      socket.send(JSON.stringify({ type: 'hello', id: '1', token }));
      const [bytes] = await once(socket, 'message');
      const { code } = JSON.parse(String(bytes));
      if (code !== 200) throw new Error(`hello was answered ${bytes}`);
    }),
  );
}
