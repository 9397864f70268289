// The entry `doorman-client/testing`: what tests of programs that use the kit need beside it.
export { MemoryStorage } from './storage/memory-storage.ts';
export { TIMES, type Times } from './timeouts.ts';
