import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { waitForIdleMachine } from './idle-machine.ts';
import { median, percentile } from './measure.ts';

export const CALLS_PER_SECOND = 50;

interface Probe extends AsyncDisposable {
  /** Ends the calls. @returns how long each took, in milliseconds */
  stop(): Promise<number[]>;
}

/**
 * How long other callers wait while `work` runs: the median of the rounds' 99th percentiles, in milliseconds, so that one
 * disturbed round does not count.
 */
export async function measureP99During(
  { port }: { readonly port: number },
  request: Buffer,
  { rounds, patienceSeconds }: { rounds: number; patienceSeconds: number },
  work: () => Promise<unknown>,
): Promise<number> {
  const p99s: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await waitForIdleMachine(patienceSeconds);
    await using probe = await startProbe(port, request, CALLS_PER_SECOND);
    await work();
    p99s.push(percentile(await probe.stop(), 99));
  }
  return median(p99s);
}

export interface ProbeOptions {
  readonly port: number;
  readonly request: Uint8Array;
  readonly callsPerSecond: number;
}

/**
 * Calls at fixed times, without waiting for earlier answers, so that a stalled server is measured in full. In a worker thread,
 * which nothing else in this process delays.
 */
async function startProbe(port: number, request: Buffer, callsPerSecond: number): Promise<Probe> {
  const workerData: ProbeOptions = { port, request: new Uint8Array(request), callsPerSecond };
  const worker = new Worker(new URL('./latency-worker.ts', import.meta.url), { workerData });
  await once(worker, 'message');
  return {
    async stop() {
      worker.postMessage('stop');
      const [latenciesMs] = await once(worker, 'message');
      return latenciesMs;
    },
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}
