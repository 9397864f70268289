import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

const SAMPLE_MS = 300;
/** Share of all cores that other processes may use. */
const IDLE_SHARE = 0.1;

/**
 * Waits until no other process uses the machine, while our own processes are idle, for at most `patienceSeconds`; 0 does not
 * wait at all.
 */
export async function waitForIdleMachine(patienceSeconds: number): Promise<void> {
  const deadline = performance.now() + patienceSeconds * 1000;
  while (performance.now() < deadline) {
    const before = spentMs();
    await delay(SAMPLE_MS);
    const after = spentMs();
    const busy = after.busy - before.busy;
    if (busy < IDLE_SHARE * (busy + after.idle - before.idle)) return;
  }
}

/** The busy and the idle time of all cores so far. */
function spentMs(): { busy: number; idle: number } {
  let busy = 0;
  let idle = 0;
  for (const { times } of cpus()) {
    busy += times.user + times.nice + times.sys + times.irq;
    idle += times.idle;
  }
  return { busy, idle };
}
