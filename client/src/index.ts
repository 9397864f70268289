// The entry `doorman-client`. The others are `server.ts`, `worker.ts` and `testing.ts`.

export { avatarUrl } from './avatar-url.ts';
export { createDoorman } from './create-doorman.ts';
export type { Doorman, DoormanOptions, SendOptions } from './doorman.ts';
export { AccountLeaving, DoormanError } from './errors.ts';
export type * from './events.ts';
export type { Api } from './http/api.ts';
export { exportUrl } from './http/export-url.ts';
export { trackActivity } from './presence/track-activity.ts';
export type { PushClient, PushOptions, PushState } from './push/push.ts';
export { resubscribe } from './push/push-worker.ts';
export { readSession } from './session/session-store.ts';
export { openStorage } from './storage/open-storage.ts';
export type { DoormanStorage, KitStorage, StorageChange } from './storage/storage.ts';
/** What travels, as the service describes it. */
export type * from './wire.ts';
export { PROFILE_FIELDS } from './wire.ts';
