import type { Queries } from '../../db/db.ts';

/**
 * Anyone may store a subscription for anyone (interface 4.14). One that came without the user's token is unconfirmed: it is
 * notified only while the account has no confirmed device and had none for 30 days, and what it brings along stays out
 * of the push log.
 */
interface Subscription {
  readonly session_id: string | null;
  readonly user_agent: string;
}

/** An unconfirmed device is notified at most once in so long. */
export const UNCONFIRMED_STEP_MS = 60_000;
/** For so long after its last confirmed device was removed, an account's unconfirmed ones are not notified. */
const QUIET_MS = 30 * 24 * 60 * 60 * 1000;
/** The log says why a device is not notified once in so long, so that a stranger's subscriptions do not fill it. */
const NOTE_STEP_MS = 60 * 60 * 1000;

export interface AccountDevices {
  /** Whether the account has a confirmed device, usable or not. */
  readonly hasConfirmed: boolean;
  /** When the latest confirmed one was removed, epoch milliseconds. */
  readonly removedAt: number | null;
}

interface AccountDevice {
  readonly session_id: string | null;
  readonly unusable_since: number | null;
  /** When the latest confirmed device of its account was removed. */
  readonly removed_at: number | null;
}

export function mayNotifyUnconfirmed({ hasConfirmed, removedAt }: AccountDevices, now: number): boolean {
  return !hasConfirmed && (removedAt === null || now - removedAt >= QUIET_MS);
}

/** @returns of the devices of one account the usable ones: those to notify, and unconfirmed ones that are not notified */
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

/** The device's own word for itself, unless a stranger may have written it. */
export function deviceNameInLog({ session_id: sessionId, user_agent: userAgent }: Subscription): string {
  return sessionId === null ? '' : userAgent;
}

/** Subscriptions of these users whose log says already why they are not notified. */
export async function findNoted(tx: Queries, userIds: readonly string[], now: number): Promise<Set<string>> {
  const noted = await tx.all<{ subscription_id: string }>`
    select subscription_id from push_log
    where user_id in ${tx.list(userIds)} and at > ${now - NOTE_STEP_MS} and outcome = 'unconfirmed'`;
  return new Set(noted.map((row) => row.subscription_id));
}
