// The entry `doorman-client/worker`: all that a service worker needs, without the rest of the kit.

export { resubscribe } from './push/push-worker.ts';
export { openStorage } from './storage/open-storage.ts';
