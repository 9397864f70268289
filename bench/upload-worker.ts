import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { UploadOptions } from './uploads.ts';

const { port, tokens, picture, everyMs } = workerData as UploadOptions; // passed by uploads.ts alone
const stop = new AbortController();
const running: Promise<unknown>[] = [];
const failures: string[] = [];

async function upload(token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'image/png' };
  const body = picture as Uint8Array<ArrayBuffer>;
  const answer = await fetch(`http://127.0.0.1:${port}/api/pictures`, { method: 'POST', headers, body });
  if (!answer.ok) failures.push(`an upload was answered ${answer.status}`);
  await answer.arrayBuffer();
}

parentPort?.once('message', () => stop.abort());
for (let i = 0; !stop.signal.aborted; i++) {
  running.push(upload(tokens[i % tokens.length] ?? ''));
  await delay(everyMs);
}
await Promise.all(running);
// A busy machine may have two of a user running already.
parentPort?.postMessage(failures.length > running.length / 2 ? failures[0] : undefined);
