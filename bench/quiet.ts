import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

const LOOK_MS = 300;
/** Share of all cores that others may use. */
const QUIET_SHARE = 0.1;

/**
 * Waits until nothing else uses the machine, as far as one can tell while ours stands still, but not for longer than
 * `patienceSeconds`; 0 does not look at all.
 */
export async function untilQuiet(patienceSeconds: number): Promise<void> {
  const giveUpAt = performance.now() + patienceSeconds * 1000;
  while (performance.now() < giveUpAt) {
    const before = spentMs();
    await delay(LOOK_MS);
    const after = spentMs();
    const busy = after.busy - before.busy;
    if (busy < QUIET_SHARE * (busy + after.idle - before.idle)) return;
  }
}

/** What the cores did so far, all together. */
function spentMs(): { busy: number; idle: number } {
  let busy = 0;
  let idle = 0;
  for (const { times } of cpus()) {
    busy += times.user + times.nice + times.sys + times.irq;
    idle += times.idle;
  }
  return { busy, idle };
}
