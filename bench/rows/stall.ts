import { setTimeout as delay } from 'node:timers/promises';
import { requestBytes, runLoad } from '../http-load.ts';
import { waitForIdleMachine } from '../idle-machine.ts';
import { type Effort, median } from '../measure.ts';
import { type ServerProcess, startDoorman, temporaryFolder } from '../processes.ts';
import { type Line, milliseconds } from '../table.ts';
import { signUp } from '../users.ts';
import { type WorstInput, worstInputs } from '../worst-inputs.ts';

/** How often each input is sent in a round. */
const TIMES = 10;
/** Long enough for what the service does by itself. */
const PAUSE_MS = 300;
/** What a server makes at the first call. */
const MADE_ONCE = ['/openapi.json', '/docs'];

/**
 * The longest turn of the event loop, in which the service answers no one, by the worst accepted input of each public route: the
 * processor time of the thread, which other processes do not lengthen.
 */
export async function stall(effort: Effort, profileFolder?: string): Promise<Line[]> {
  const env = { BCRYPT_COST: '4' };
  await using folder = await temporaryFolder();
  await using server = await startDoorman(folder.path, { env, profileFolder, reportsTurns: true });
  const user = await signUp(server, 'alice');
  const longestTurns = async (work: () => Promise<unknown>) => {
    const rounds: number[] = [];
    for (let round = 0; round < effort.pairs; round++) {
      await waitForIdleMachine(effort.patienceSeconds);
      rounds.push(await longestTurnDuring(server, work));
    }
    return median(rounds);
  };

  const idleMs = await longestTurns(() => delay(PAUSE_MS));
  const lines: Line[] = [];
  for (const [route, inputs] of Object.entries(worstInputs(user))) {
    const send = async () => {
      for (const input of inputs) await sendInput(server, input, Math.min(TIMES, effort.standstillTimes));
    };
    await send(); // not measured, so that everything is compiled
    lines.push(toLine(route, await longestTurns(send), idleMs));
  }
  for (const path of MADE_ONCE) {
    const firstMs: number[] = [];
    for (let start = 0; start < effort.starts; start++) {
      await using empty = await temporaryFolder();
      await using fresh = await startDoorman(empty.path, { reportsTurns: true });
      await sendInput(fresh, { request: requestBytes('GET', '/healthz'), status: 200 }, TIMES);
      await delay(PAUSE_MS);
      const first = () => sendInput(fresh, { request: requestBytes('GET', path), status: 200 }, 1);
      firstMs.push(await longestTurnDuring(fresh, first));
    }
    lines.push(toLine(`the first GET ${path}`, median(firstMs), idleMs));
  }
  return lines;
}

async function longestTurnDuring(server: ServerProcess, work: () => Promise<unknown>): Promise<number> {
  await server.longestTurnMs(); // forgets earlier turns
  await work();
  return server.longestTurnMs();
}

async function sendInput({ port }: ServerProcess, input: WorstInput, calls: number): Promise<void> {
  const { request, status } = input;
  await runLoad({
    port,
    requests: [request],
    connections: 1,
    seconds: Number.POSITIVE_INFINITY,
    calls,
    status,
  });
}

function toLine(route: string, ms: number, idleMs: number): Line {
  return {
    work: `stall by ${route}`,
    ours: milliseconds(ms),
    bare: milliseconds(idleMs),
    target: { value: ms, unit: 'ms', floor: 10, aim: 10 },
  };
}
