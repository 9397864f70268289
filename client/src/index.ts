// The entry of the package; `worker-push.ts` is that of `doorman-client/worker`.
export type { Api } from './api.ts';
export { createDoorman, type Doorman, type DoormanOptions } from './doorman.ts';
export { DoormanError } from './errors.ts';
export type * from './events.ts';
export { followView } from './follow-view.ts';
export type { PushClient, PushState } from './push.ts';
export { readSession } from './session.ts';
export { type DoormanStorage, openStorage } from './storage.ts';
/** What travels, as the service describes it. */
export type * as Wire from './wire.ts';
export { resubscribe } from './worker-push.ts';
