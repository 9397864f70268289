// The entry `doorman-client/testing`: what tests of programs that use the kit need beside it.
export { MemoryStorage } from './storage/memory-storage.ts';
export { DEFAULT_TIMEOUTS, type Timeouts } from './timeouts.ts';
