import { setTimeout as delay } from 'node:timers/promises';
import { waitForIdleMachine } from './idle-machine.ts';
import { OperationCost, type ProcessorClock } from './processor-time.ts';

/** How much is measured: one set of numbers for each option of the bench. */
export interface Effort {
  /** How long to wait before each round until the machine is idle. */
  readonly patienceSeconds: number;
  /** Rounds, each with one measurement of ours and of bare. */
  readonly pairs: number;
  /** Length of one measurement. */
  readonly seconds: number;
  /** The same for calls that take tens of milliseconds. */
  readonly longSeconds: number;
  /** How many users the full list has. */
  readonly listedUsers: number;
  /** How many users the larger database has where growth is measured. */
  readonly manyUsers: number;
  /** Sockets that stay open. */
  readonly connections: number;
  /** Connections of which a tenth send messages, and for how many seconds. */
  readonly manyConnections: number;
  readonly sendingSeconds: number;
  /** Pairs of users who send: many times more than send at once, since a pair has one message in flight. */
  readonly messagePairs: number;
  /** Calls of each kind, five times, at each size. */
  readonly growthCalls: number;
  /** Messages of the database for standstills, and how often each action is done in a round. */
  readonly messages: number;
  readonly standstillTimes: number;
  /** Lines of each kind that are imported. */
  readonly importedLines: number;
  /** Starts of each server. */
  readonly starts: number;
  readonly bcryptCost: number;
}

export const EFFORTS = {
  full: {
    pairs: 9,
    seconds: 0.8,
    longSeconds: 3,
    listedUsers: 100_000,
    manyUsers: 1_000_000,
    growthCalls: 200,
    connections: 2_000,
    messagePairs: 2_000,
    manyConnections: 10_000,
    sendingSeconds: 40,
    messages: 2_000_000,
    standstillTimes: 50,
    importedLines: 100_000,
    starts: 7,
    bcryptCost: 10,
    patienceSeconds: 0,
  },
  quick: {
    pairs: 3,
    seconds: 0.3,
    longSeconds: 1,
    listedUsers: 100_000,
    manyUsers: 200_000,
    growthCalls: 100,
    connections: 2_000,
    messagePairs: 2_000,
    manyConnections: 10_000,
    sendingSeconds: 10,
    messages: 200_000,
    standstillTimes: 20,
    importedLines: 20_000,
    starts: 3,
    bcryptCost: 10,
    patienceSeconds: 0,
  },
  tiny: {
    pairs: 1,
    seconds: 0.05,
    longSeconds: 0.1,
    listedUsers: 2_000,
    manyUsers: 2_000,
    growthCalls: 5,
    connections: 50,
    messagePairs: 128,
    manyConnections: 100,
    sendingSeconds: 0.5,
    messages: 8_000,
    standstillTimes: 3,
    importedLines: 1_000,
    starts: 1,
    bcryptCost: 4,
    patienceSeconds: 0,
  },
} satisfies Record<string, Effort>;

/** One measurement: so many operations, at this rate. */
export interface Round {
  readonly perSecond: number;
  readonly count: number;
}

/** Processor time of one operation in microseconds; `undefined` where the system does not show it, or there is no such process. */
export interface Micros {
  readonly service?: number | undefined;
  readonly database?: number | undefined;
  readonly redis?: number | undefined;
  readonly bare?: number | undefined;
}

/** The clocks of those who do the work. */
export type Clocks = Record<'service' | 'bare', ProcessorClock> & {
  readonly database?: ProcessorClock | undefined;
  readonly redis?: ProcessorClock | undefined;
};

export interface Compared {
  readonly ours: number;
  readonly bare: number;
  /** The median of the rounds' ratios, ours by bare, since the load of the machine differs between rounds. */
  readonly ratio: number;
  /** Over all rounds, not a median: the clocks are too coarse for one round. */
  readonly micros: Micros;
}

/**
 * Measures both in turn, in alternating order.
 *
 * @param options.pauseMs after each round, for work that follows later and belongs to neither
 * @returns the medians
 */
export async function alternate(
  {
    pairs,
    patienceSeconds,
    pauseMs = 0,
  }: Pick<Effort, 'pairs' | 'patienceSeconds'> & { readonly pauseMs?: number },
  ours: () => Promise<Round>,
  bare: () => Promise<Round>,
  clocks: Clocks,
): Promise<Compared> {
  const rounds: { ours: number; bare: number }[] = [];
  const service = new OperationCost(clocks.service);
  const database = clocks.database && new OperationCost(clocks.database);
  const redis = clocks.redis && new OperationCost(clocks.redis);
  const bareCost = new OperationCost(clocks.bare);
  const withRedis = () => (redis ? redis.during(ours) : ours());
  const withDatabase = () => (database ? database.during(withRedis) : withRedis());
  const runOurs = async () => (await service.during(withDatabase)).perSecond;
  const runBare = async () => (await bareCost.during(bare)).perSecond;
  for (let i = 0; i < pairs; i++) {
    await waitForIdleMachine(patienceSeconds);
    if (i % 2 === 0) rounds.push({ ours: await runOurs(), bare: await runBare() });
    else rounds.push({ bare: await runBare(), ours: await runOurs() });
    await delay(pauseMs);
  }
  return {
    ours: median(rounds.map((round) => round.ours)),
    bare: median(rounds.map((round) => round.bare)),
    ratio: median(rounds.map((round) => round.ours / round.bare)),
    micros: {
      service: service.microsEach,
      database: database?.microsEach,
      redis: redis?.microsEach,
      bare: bareCost.microsEach,
    },
  };
}

export function median(numbers: readonly number[]): number {
  return percentile(numbers, 50);
}

/** The smallest number that `percent` of the numbers do not exceed; 0 if there are none. */
export function percentile(numbers: readonly number[], percent: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? 0;
}
