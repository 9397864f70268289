import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { type Caller, openCaller } from './http-load.ts';
import type { StandstillOptions } from './standstill-probe.ts';

const { port, requests } = workerData as StandstillOptions; // passed by standstill-probe.ts alone
const bytes = requests.map((request) => Buffer.from(request));
const latenciesMs: number[] = [];
let sent = 0;
let isStopping = false;
let onLast = () => {};

function onAnswer(caller: Caller): void {
  latenciesMs.push(performance.now() - caller.sentAt);
  if (isStopping) onLast();
  else caller.send(bytes[++sent % bytes.length] ?? Buffer.alloc(0));
}

const caller = await openCaller(port, 200, onAnswer);
const broken = caller.ended.then(() => undefined);
caller.send(bytes[0] ?? Buffer.alloc(0));
parentPort?.postMessage('ready');
if (parentPort) await Promise.race([once(parentPort, 'message'), broken]);
const last = new Promise<void>((resolve) => {
  onLast = resolve;
});
isStopping = true;
await Promise.race([last, broken]);
caller.close();
parentPort?.postMessage(latenciesMs);
