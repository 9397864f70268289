import { parentPort, workerData } from 'node:worker_threads';
import { type Caller, openCaller } from './http-load.ts';
import type { ProbeOptions } from './latency-probe.ts';

const { port, request, callsPerSecond } = workerData as ProbeOptions; // passed by latency-probe.ts alone
const bytes = Buffer.from(request);
const pauseMs = 1000 / callsPerSecond;
const latenciesMs: number[] = [];
const busy = new Set<Caller>();
/** As many as a stall of two seconds leaves waiting. */
const idle: Caller[] = await Promise.all(
  Array.from({ length: 2 * callsPerSecond }, () => openCaller(port, 200, onAnswer)),
);

let dueAt = performance.now() + pauseMs;
let timer = setTimeout(sendDueCalls, pauseMs);

function sendDueCalls(): void {
  for (; dueAt <= performance.now(); dueAt += pauseMs) {
    const caller = idle.shift();
    if (!caller) continue;
    busy.add(caller);
    caller.send(bytes);
  }
  timer = setTimeout(sendDueCalls, Math.max(0, dueAt - performance.now()));
}

function onAnswer(caller: Caller): void {
  latenciesMs.push(performance.now() - caller.sentAt);
  busy.delete(caller);
  idle.push(caller);
}

parentPort?.once('message', () => {
  clearTimeout(timer);
  // A call without an answer has waited at least as long.
  for (const caller of busy) latenciesMs.push(performance.now() - caller.sentAt);
  for (const caller of [...idle, ...busy]) caller.close();
  parentPort?.postMessage(latenciesMs);
});
parentPort?.postMessage('ready');
