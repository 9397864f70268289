// The entry `doorman-client/worker`: all that a service worker needs, without the rest of the kit.
export { openStorage } from './storage.ts';
export { resubscribe } from './worker-push.ts';
