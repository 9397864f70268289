import type { TestContext } from 'node:test';
import type { World } from '../../src/services.ts';

/** The two clocks of the device, by how much the test has moved each. They are the process's, so such tests run alone. */
export interface DeviceClocks {
  /** `Date.now()`, which a user or the network sets. */
  wallMs: number;
  /** `performance.now()`. */
  monotonicMs: number;
  /** The service's clocks: both follow the monotonic one, since that is the time that passed. */
  readonly world: World;
}

export function moveClocks(t: TestContext): DeviceClocks {
  const wall = Date.now.bind(Date);
  const monotonic = performance.now.bind(performance);
  const clocks: DeviceClocks = {
    wallMs: 0,
    monotonicMs: 0,
    world: {
      now: () => wall() + clocks.monotonicMs,
      monotonicMs: () => monotonic() + clocks.monotonicMs,
    },
  };
  t.mock.method(Date, 'now', () => wall() + clocks.wallMs);
  t.mock.method(performance, 'now', () => monotonic() + clocks.monotonicMs);
  return clocks;
}
