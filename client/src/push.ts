import type { PushDevice } from './wire.ts';

export type PushState =
  /** This browser cannot, or the page is not in a secure context. */
  | 'unsupported'
  /** iOS and iPadOS: only when the page was put on the home screen. */
  | 'needs_home_screen'
  /** The user, or the browser for him, said no: only the browser's settings change that. */
  | 'denied'
  /** It was not asked for yet, or was switched off here. */
  | 'off'
  | 'on';

/** Notifications on this device. */
export interface PushClient {
  state(): Promise<PushState>;
  /**
   * Asks for permission, subscribes with the key in force, and tells the service. To be called in the handler of a click,
   * after saying what for.
   */
  enable(): Promise<PushState>;
  /** Unsubscribes here and at the service; the permission stays. */
  disable(): Promise<void>;
  /**
   * To be called at each start with a session: subscribes again when the browser lost the subscription, the key changed, or
   * the service does not have it, if notifications were enabled on this device before.
   */
  check(): Promise<PushState>;
  /** Of the devices of `api.pushDevices`, this one. */
  thisDevice(): Promise<PushDevice | undefined>;
}
