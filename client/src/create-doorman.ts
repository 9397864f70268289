import { Client } from './client.ts';
import type { Doorman, DoormanOptions } from './doorman.ts';
import { openStorage } from './storage/open-storage.ts';
import { DEFAULT_TIMEOUTS, type Timeouts } from './timeouts.ts';

/**
 * @param times for tests only
 * @throws {TypeError} if `baseUrl` is no address of http(s)
 */
export function createDoorman(options: DoormanOptions, times: Partial<Timeouts> = {}): Doorman {
  const { storage = openStorage(), ...rest } = options;
  return new Client({ ...rest, storage }, { ...DEFAULT_TIMEOUTS, ...times });
}
