import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface UploadOptions {
  readonly port: number;
  /** Of the users who upload in turn. */
  readonly tokens: readonly string[];
  readonly picture: Uint8Array;
  readonly everyMs: number;
}

/** Uploads a picture again and again, in a worker thread: sending the bytes would delay what this process measures. */
export function startUploads(workerData: UploadOptions): { stop(): Promise<void> } {
  const worker = new Worker(new URL('./upload-worker.ts', import.meta.url), { workerData });
  return {
    /** Returns once the running uploads are answered. @throws {Error} if most were refused */
    async stop() {
      worker.postMessage('stop');
      const [failure] = await once(worker, 'message');
      await worker.terminate();
      if (failure !== undefined) throw new Error(failure);
    },
  };
}
