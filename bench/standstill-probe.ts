import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { median } from './measuring.ts';
import { untilQuiet } from './quiet.ts';

export interface StandstillOrder {
  readonly port: number;
  /** Taken in turn. */
  readonly requests: readonly Uint8Array[];
}

/** How long another connection waits at worst. */
export interface Standstill {
  /** The worst latency less the median one, of each round in milliseconds. */
  readonly beyondMedianMs: readonly number[];
  /** The worst latency of each round. */
  readonly worstMs: readonly number[];
}

export interface Act {
  /** @returns what the other connection asks meanwhile */
  prepare(round: number): Promise<readonly Buffer[]>;
  work(round: number): Promise<unknown>;
}

/**
 * Asks on one connection, the next call as soon as the one before is answered, while `work` goes on. From a thread of its
 * own, so that nothing else in the measuring process holds it up.
 */
export async function measureStandstill(
  port: number,
  { rounds, patienceSeconds }: { rounds: number; patienceSeconds: number },
  { prepare, work }: Act,
): Promise<Standstill> {
  const beyondMedianMs: number[] = [];
  const worstMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const requests = await prepare(round);
    await untilQuiet(patienceSeconds);
    const latenciesMs = await probeDuring(port, requests, () => work(round));
    const worst = latenciesMs.reduce((most, ms) => Math.max(most, ms), 0);
    beyondMedianMs.push(worst - median(latenciesMs));
    worstMs.push(worst);
  }
  return { beyondMedianMs, worstMs };
}

async function probeDuring(
  port: number,
  requests: readonly Buffer[],
  work: () => Promise<unknown>,
): Promise<number[]> {
  const order: StandstillOrder = { port, requests: requests.map((request) => new Uint8Array(request)) };
  const worker = new Worker(new URL('./standstill-worker.ts', import.meta.url), { workerData: order });
  try {
    await once(worker, 'message');
    await work();
    worker.postMessage('stop');
    const [latenciesMs] = await once(worker, 'message');
    return latenciesMs;
  } finally {
    await worker.terminate();
  }
}
