import { waitForIdleMachine } from '../idle-machine.ts';
import { type Effort, median } from '../measure.ts';
import { type ServerProcess, startBareHttp, startDoorman, temporaryFolder } from '../processes.ts';
import { type Line, milliseconds } from '../table.ts';

/** The time from the start of the process to the first answer of a public call. */
export async function start(effort: Effort, profileFolder?: string): Promise<Line[]> {
  await using folder = await temporaryFolder();
  const doorman = () => startDoorman(folder.path, { profileFolder });
  const fresh = async () => {
    await using empty = await temporaryFolder();
    return firstAnswer(() => startDoorman(empty.path, { env: { NODE_DISABLE_COMPILE_CACHE: '1' } }));
  };
  const bare = () => startBareHttp(folder.path, Buffer.from('{"code":200}'));

  await firstAnswer(doorman);
  const rounds: { warm: FirstAnswer; cold: FirstAnswer; bare: FirstAnswer }[] = [];
  for (let i = 0; i < effort.starts; i++) {
    await waitForIdleMachine(effort.patienceSeconds);
    rounds.push({ warm: await firstAnswer(doorman), bare: await firstAnswer(bare), cold: await fresh() });
  }
  const of = (pick: (round: (typeof rounds)[number]) => number) => median(rounds.map(pick));
  const line = (work: string, kind: 'warm' | 'cold'): Line => {
    const more = of((round) => round[kind].ms - round.bare.ms);
    const [ms, bareMs] = [of((round) => round[kind].ms), of((round) => round.bare.ms)];
    return {
      work: `${work}: +${milliseconds(more)}`,
      ours: milliseconds(ms),
      bare: milliseconds(bareMs),
      ratio: ms / bareMs,
      target: { value: more, unit: 'ms', floor: 600, aim: 300 },
      micros: { service: of((round) => round[kind].micros), bare: of((round) => round.bare.micros) },
    };
  };
  return [line('start to first answer', 'warm'), line('the same, no compile cache, new database', 'cold')];
}

interface FirstAnswer {
  readonly ms: number;
  /** Processor time of the process until then. */
  readonly micros: number;
}

async function firstAnswer(start: () => Promise<ServerProcess>): Promise<FirstAnswer> {
  const startedAt = performance.now();
  await using server = await start();
  const answer = await fetch(`http://127.0.0.1:${server.port}/api/push/public-key`);
  await answer.arrayBuffer();
  const ms = performance.now() - startedAt;
  return { ms, micros: (await server.micros()) ?? Number.NaN };
}
