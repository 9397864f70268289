import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { median, percentile } from './measuring.ts';
import { untilQuiet } from './quiet.ts';

export const CALLS_PER_SECOND = 50;

interface Probe extends AsyncDisposable {
  /** Ends the calls. @returns how long each took, in milliseconds */
  stop(): Promise<number[]>;
}

/**
 * How long others wait while `work` goes on: the median of the rounds' 99th percentiles, in milliseconds, so that what
 * else the machine does in one of them does not count.
 */
export async function othersP99Ms(
  { port }: { readonly port: number },
  request: Buffer,
  { rounds, patienceSeconds }: { rounds: number; patienceSeconds: number },
  work: () => Promise<unknown>,
): Promise<number> {
  const p99s: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await untilQuiet(patienceSeconds);
    await using probe = await startProbe(port, request, CALLS_PER_SECOND);
    await work();
    p99s.push(percentile(await probe.stop(), 99));
  }
  return median(p99s);
}

export interface ProbeOrder {
  readonly port: number;
  readonly request: Uint8Array;
  readonly callsPerSecond: number;
}

/**
 * Calls at fixed moments, whatever becomes of the calls before, so that a server that stands still is seen standing
 * still. In a thread of its own: nothing else that the measuring process does holds it up.
 */
async function startProbe(port: number, request: Buffer, callsPerSecond: number): Promise<Probe> {
  const order: ProbeOrder = { port, request: new Uint8Array(request), callsPerSecond };
  const worker = new Worker(new URL('./probe-worker.ts', import.meta.url), { workerData: order });
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
