import { Client } from './client.ts';
import type { Doorman, DoormanOptions } from './doorman.ts';
import { openStorage } from './storage/open-storage.ts';
import { TIMES, type Times } from './timeouts.ts';

/**
 * @param times for tests only
 * @throws {TypeError} if `baseUrl` is no address of http(s)
 */
export function createDoorman(options: DoormanOptions, times: Partial<Times> = {}): Doorman {
  const { storage = openStorage(), ...rest } = options;
  return new Client({ ...rest, storage }, { ...TIMES, ...times });
}
