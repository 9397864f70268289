// The entry `doorman-client/server`, for a product's backend. It has nothing of the other entries but the types.
export { type Backend, type BackendOptions, createBackend } from './backend.ts';
export { DoormanError } from './errors.ts';
/** What travels, as the service describes it. */
export type * from './wire.ts';
