import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface Probe extends AsyncDisposable {
  /** Ends the calls. @returns how long each took, in milliseconds */
  stop(): Promise<number[]>;
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
export async function startProbe(port: number, request: Buffer, callsPerSecond: number): Promise<Probe> {
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
