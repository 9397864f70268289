import { Client } from './client.ts';
import type { Doorman, DoormanOptions } from './doorman.ts';
import { openStorage } from './storage/open-storage.ts';
import { DEFAULT_TIMEOUTS, type Timeouts } from './timeouts.ts';

/**
 * @param timeouts for tests only
 * @throws {TypeError} if `baseUrl` is not an address of http or https
 */
export function createDoorman(options: DoormanOptions, timeouts: Partial<Timeouts> = {}): Doorman {
  const { storage = openStorage(), ...rest } = options;
  return new Client({ ...rest, storage }, { ...DEFAULT_TIMEOUTS, ...timeouts });
}
