import { untilQuiet } from './quiet.ts';

/** How much is measured; every number is smaller where time is short. */
export interface Effort {
  /** How long to wait before each round for others to leave the machine alone. */
  readonly patienceSeconds: number;
  /** Rounds of ours and bare in turn. */
  readonly pairs: number;
  /** Length of one side of a round. */
  readonly seconds: number;
  /** The same where one call takes tens of milliseconds. */
  readonly longSeconds: number;
  /** How many users the full list has. */
  readonly people: number;
  /** How many users there are in the end where growth is measured. */
  readonly crowd: number;
  /** Sockets that stay open. */
  readonly connections: number;
  /** Connections of which a tenth talk, and for how many seconds. */
  readonly multitude: number;
  readonly talkSeconds: number;
  /** People who talk, two by two: many times more than send at once, since a pair has one message under way. */
  readonly pairsOfPeople: number;
  /** Calls of each kind, five times, at each size. */
  readonly growthCalls: number;
  /** Messages of the database on which a standstill is measured, and how often each thing is done in a round. */
  readonly messages: number;
  readonly standstillTimes: number;
  /** Starts of each server. */
  readonly starts: number;
  readonly bcryptCost: number;
}

export const EFFORTS = {
  full: {
    pairs: 9,
    seconds: 0.8,
    longSeconds: 3,
    people: 100_000,
    crowd: 1_000_000,
    growthCalls: 200,
    connections: 2_000,
    pairsOfPeople: 2_000,
    multitude: 10_000,
    talkSeconds: 40,
    messages: 2_000_000,
    standstillTimes: 50,
    starts: 7,
    bcryptCost: 10,
    patienceSeconds: 0,
  },
  quick: {
    pairs: 3,
    seconds: 0.3,
    longSeconds: 1,
    people: 100_000,
    crowd: 200_000,
    growthCalls: 100,
    connections: 2_000,
    pairsOfPeople: 2_000,
    multitude: 10_000,
    talkSeconds: 10,
    messages: 200_000,
    standstillTimes: 20,
    starts: 3,
    bcryptCost: 10,
    patienceSeconds: 0,
  },
  tiny: {
    pairs: 1,
    seconds: 0.05,
    longSeconds: 0.1,
    people: 2_000,
    crowd: 2_000,
    growthCalls: 5,
    connections: 50,
    pairsOfPeople: 512,
    multitude: 100,
    talkSeconds: 0.5,
    messages: 8_000,
    standstillTimes: 3,
    starts: 1,
    bcryptCost: 4,
    patienceSeconds: 0,
  },
} satisfies Record<string, Effort>;

export interface Compared {
  readonly ours: number;
  readonly bare: number;
  /** The median of the rounds' own ratios, ours by bare: what else the machine does changes between rounds. */
  readonly ratio: number;
}

/** Measures both in turn, the first of a round being second in the next; medians of what they return. */
export async function alternate(
  { pairs, patienceSeconds }: Pick<Effort, 'pairs' | 'patienceSeconds'>,
  ours: () => Promise<number>,
  bare: () => Promise<number>,
): Promise<Compared> {
  const rounds: { ours: number; bare: number }[] = [];
  for (let i = 0; i < pairs; i++) {
    await untilQuiet(patienceSeconds);
    if (i % 2 === 0) rounds.push({ ours: await ours(), bare: await bare() });
    else rounds.push({ bare: await bare(), ours: await ours() });
  }
  return {
    ours: median(rounds.map((round) => round.ours)),
    bare: median(rounds.map((round) => round.bare)),
    ratio: median(rounds.map((round) => round.ours / round.bare)),
  };
}

export function median(numbers: readonly number[]): number {
  return percentile(numbers, 50);
}

/** The smallest of the numbers that so many percent of them do not exceed; 0 if there are none. */
export function percentile(numbers: readonly number[], percent: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? 0;
}
