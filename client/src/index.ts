// The entry `doorman-client`. The two others are `worker.ts` and `testing.ts`.
export type { Api } from './api.ts';
export { createDoorman, type Doorman, type DoormanOptions } from './doorman.ts';
export { DoormanError } from './errors.ts';
export type * from './events.ts';
export { followView } from './follow-view.ts';
export type { PushClient, PushState } from './push.ts';
export { readSession } from './session.ts';
export { type DoormanStorage, openStorage } from './storage.ts';
/** What travels, as the service describes it. */
export type * from './wire.ts';
export { resubscribe } from './worker-push.ts';
