import type { SubscriptionRow } from '../schemas.ts';

/** The shortest time between two notifications of an unconfirmed device. */
export const UNCONFIRMED_INTERVAL_MS = 60_000;
/** How long an account's unconfirmed devices stay silent after its last confirmed device was removed. */
const QUIET_MS = 30 * 24 * 60 * 60 * 1000;
interface AccountDevice extends Pick<SubscriptionRow, 'session_id' | 'unusable_since'> {
  /** When the latest confirmed device of its account was removed. */
  readonly removed_at: number | null;
}

/**
 * Anyone may store a subscription for any user (interface 4.14). One that was stored without the user's token is unconfirmed: it
 * is notified only while the account has no confirmed device and had none for 30 days.
 *
 * @param hasConfirmed whether the account has a confirmed device, usable or not
 * @param removedAt when its latest confirmed device was removed, epoch milliseconds
 */
export function mayNotifyUnconfirmed(hasConfirmed: boolean, removedAt: number | null, now: number): boolean {
  return !hasConfirmed && (removedAt === null || now - removedAt >= QUIET_MS);
}

/** @returns the usable devices of one account: those to notify, and the unconfirmed ones that are not notified */
export function sortDevices<Device extends AccountDevice>(
  devices: readonly Device[],
  now: number,
): { notified: Device[]; unconfirmed: Device[] } {
  const hasConfirmed = devices.some((device) => device.session_id !== null);
  const mayNotify = mayNotifyUnconfirmed(hasConfirmed, devices[0]?.removed_at ?? null, now);
  const isNotified = (device: Device) => device.session_id !== null || mayNotify;
  const usable = devices.filter((device) => device.unusable_since === null);
  return { notified: usable.filter(isNotified), unconfirmed: usable.filter((device) => !isNotified(device)) };
}

/** The device name for the push log; empty for an unconfirmed device, as a stranger may have written it. */
export function deviceNameInLog(row: Pick<SubscriptionRow, 'session_id' | 'user_agent'>): string {
  return row.session_id === null ? '' : row.user_agent;
}
