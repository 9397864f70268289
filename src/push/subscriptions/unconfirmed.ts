import type { Queries } from '../../db/db.ts';
import { inList } from '../../db/fragments.ts';

interface Subscription {
  readonly session_id: string | null;
  readonly user_agent: string;
}

/** The shortest time between two notifications of an unconfirmed device. */
export const UNCONFIRMED_INTERVAL_MS = 60_000;
/** How long an account's unconfirmed devices stay silent after its last confirmed device was removed. */
const QUIET_MS = 30 * 24 * 60 * 60 * 1000;
/** The log says at most this often that a device is not notified, so that a stranger's subscriptions do not fill it. */
const LOG_INTERVAL_MS = 60 * 60 * 1000;

interface AccountDevices {
  /** Whether the account has a confirmed device, usable or not. */
  readonly hasConfirmed: boolean;
  /** When the account's latest confirmed device was removed, epoch milliseconds. */
  readonly removedAt: number | null;
}

interface AccountDevice {
  readonly session_id: string | null;
  readonly unusable_since: number | null;
  /** When the latest confirmed device of its account was removed. */
  readonly removed_at: number | null;
}

/**
 * Anyone may store a subscription for any user (interface 4.14). One that was stored without the user's token is unconfirmed: it
 * is notified only while the account has no confirmed device and had none for 30 days.
 */
export function mayNotifyUnconfirmed({ hasConfirmed, removedAt }: AccountDevices, now: number): boolean {
  return !hasConfirmed && (removedAt === null || now - removedAt >= QUIET_MS);
}

/** @returns the usable devices of one account: those to notify, and the unconfirmed ones that are not notified */
export function sortDevices<Device extends AccountDevice>(
  devices: readonly Device[],
  now: number,
): { notified: Device[]; unconfirmed: Device[] } {
  const hasConfirmed = devices.some((device) => device.session_id !== null);
  const mayNotify = mayNotifyUnconfirmed({ hasConfirmed, removedAt: devices[0]?.removed_at ?? null }, now);
  const isNotified = (device: Device) => device.session_id !== null || mayNotify;
  const usable = devices.filter((device) => device.unusable_since === null);
  return { notified: usable.filter(isNotified), unconfirmed: usable.filter((device) => !isNotified(device)) };
}

/** The device name for the push log; empty for an unconfirmed device, as a stranger may have written it. */
export function deviceNameInLog({ session_id: sessionId, user_agent: userAgent }: Subscription): string {
  return sessionId === null ? '' : userAgent;
}

/** Ids of these users' subscriptions whose log said recently that they are not notified. */
export async function findLogged(tx: Queries, userIds: readonly string[], now: number): Promise<Set<string>> {
  const logged = await tx.all<{ subscription_id: string }>`
    select subscription_id from push_log
    where user_id in ${inList(userIds)} and at > ${now - LOG_INTERVAL_MS} and outcome = 'unconfirmed'`;
  return new Set(logged.map((row) => row.subscription_id));
}
