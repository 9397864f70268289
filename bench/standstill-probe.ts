import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { waitForIdleMachine } from './idle-machine.ts';
import { median } from './measure.ts';

export interface StandstillOptions {
  readonly port: number;
  /** Sent in turn. */
  readonly requests: readonly Uint8Array[];
}

/** The worst latency on another connection. */
export interface Standstill {
  /** The worst latency less the median latency, of each round in milliseconds. */
  readonly beyondMedianMs: readonly number[];
  /** The worst latency of each round. */
  readonly worstMs: readonly number[];
}

export interface MeasuredAction {
  /** @returns the requests of the other connection meanwhile */
  prepare(round: number): Promise<readonly Buffer[]>;
  work(round: number): Promise<unknown>;
}

/**
 * Calls on one connection, one after the other without a pause, while `work` runs. In a worker thread, which nothing else in
 * this process delays.
 */
export async function measureStandstill(
  port: number,
  { rounds, patienceSeconds }: { rounds: number; patienceSeconds: number },
  { prepare, work }: MeasuredAction,
): Promise<Standstill> {
  const beyondMedianMs: number[] = [];
  const worstMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const requests = await prepare(round);
    await waitForIdleMachine(patienceSeconds);
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
  const workerData: StandstillOptions = {
    port,
    requests: requests.map((request) => new Uint8Array(request)),
  };
  const worker = new Worker(new URL('./standstill-worker.ts', import.meta.url), { workerData });
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
