import { parentPort, workerData } from 'node:worker_threads';
import { type Caller, openCaller } from './load.ts';
import type { ProbeOrder } from './probe.ts';

const { port, request, callsPerSecond } = workerData as ProbeOrder; // given by probe.ts alone
const bytes = Buffer.from(request);
const pauseMs = 1000 / callsPerSecond;
const latenciesMs: number[] = [];
const busy = new Set<Caller>();
/** As many as a server that stands still for two seconds leaves waiting. */
const idle: Caller[] = await Promise.all(
  Array.from({ length: 2 * callsPerSecond }, () => openCaller(port, 200, answered)),
);

let due = performance.now() + pauseMs;
let timer = setTimeout(callWhatIsDue, pauseMs);

function callWhatIsDue(): void {
  for (; due <= performance.now(); due += pauseMs) {
    const caller = idle.shift();
    if (!caller) continue;
    busy.add(caller);
    caller.send(bytes);
  }
  timer = setTimeout(callWhatIsDue, Math.max(0, due - performance.now()));
}

function answered(caller: Caller): void {
  latenciesMs.push(performance.now() - caller.sentAt);
  busy.delete(caller);
  idle.push(caller);
}

parentPort?.once('message', () => {
  clearTimeout(timer);
  // Who still waits has waited so long at least.
  for (const caller of busy) latenciesMs.push(performance.now() - caller.sentAt);
  for (const caller of [...idle, ...busy]) caller.close();
  parentPort?.postMessage(latenciesMs);
});
parentPort?.postMessage('ready');
