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
    return firstAnswerMs(() => startDoorman(empty.path, { env: { NODE_DISABLE_COMPILE_CACHE: '1' } }));
  };
  const bare = () => startBareHttp(folder.path, Buffer.from('{"code":200}'));

  await firstAnswerMs(doorman);
  const rounds: { warm: number; cold: number; bare: number }[] = [];
  for (let i = 0; i < effort.starts; i++) {
    await waitForIdleMachine(effort.patienceSeconds);
    rounds.push({ warm: await firstAnswerMs(doorman), bare: await firstAnswerMs(bare), cold: await fresh() });
  }
  const bareMs = median(rounds.map((round) => round.bare));
  const line = (work: string, ms: number, more: number): Line => ({
    work: `${work}: +${milliseconds(more)}`,
    ours: milliseconds(ms),
    bare: milliseconds(bareMs),
    ratio: ms / bareMs,
    target: { value: more, unit: 'ms', floor: 600, aim: 300 },
  });
  const medianOf = (pick: (round: { warm: number; cold: number; bare: number }) => number) =>
    median(rounds.map(pick));
  return [
    line(
      'start to first answer',
      medianOf((round) => round.warm),
      medianOf((round) => round.warm - round.bare),
    ),
    line(
      'the same, no compile cache, new database',
      medianOf((round) => round.cold),
      medianOf((round) => round.cold - round.bare),
    ),
  ];
}

async function firstAnswerMs(start: () => Promise<ServerProcess>): Promise<number> {
  const startedAt = performance.now();
  await using server = await start();
  const answer = await fetch(`http://127.0.0.1:${server.port}/api/push/public-key`);
  await answer.arrayBuffer();
  return performance.now() - startedAt;
}
