import { toPagePath } from '../paths.ts';

/** What a push tells, fit to be shown. */
interface PushMessage {
  /** Never empty. */
  readonly title: string;
  readonly body: string;
  /** Names the conversation: a notification replaces the one before with the same tag. Never empty. */
  readonly tag: string;
  /** Where a click leads, always a route of the page. */
  readonly path: string;
  /** For the app's icon; 0 clears it. */
  readonly badge: number | undefined;
  /** By which the service knows this push again. */
  readonly receipt: string | undefined;
}

/** A push holds 3,993 bytes at most (RFC 8291 4): what is far larger did not come from a push service. */
const MAX_PAYLOAD = 8_192;
/** Above all the service sends: 64 code points of a name, 1,000 bytes of a message. */
const MAX_TITLE = 200;
const MAX_BODY = 1_500;
const MAX_TAG = 200;
const MAX_RECEIPT = 500;

const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * Reads a Declarative Web Push message (Push API, "Declarative push message") with `doorman.receipt` of ours beside it.
 * A browser demands a notification for every push, so whatever cannot be used gives way to a word of our own, and this
 * never throws.
 *
 * @param payload nothing is known of it; undefined for a push without one
 * @param language of the browser, such as `zh-CN`
 */
export function readPushMessage(
  payload: string | undefined,
  { origin, language }: { origin: string; language: string },
): PushMessage {
  const message = parseRecord(payload);
  const notification = asRecord(message.notification);
  return {
    title: readText(notification.title, MAX_TITLE) ?? 'Doorman',
    body: readText(notification.body, MAX_BODY) ?? (language.startsWith('zh') ? '新消息' : 'New message'),
    tag: readText(notification.tag, MAX_TAG) ?? 'doorman',
    path: toPagePath(notification.navigate, origin),
    badge: readCount(message.app_badge),
    receipt: readReceipt(asRecord(message.doorman).receipt),
  };
}

function parseRecord(payload: string | undefined): Record<string, unknown> {
  if (payload === undefined || payload.length > MAX_PAYLOAD) return {};
  try {
    return asRecord(JSON.parse(payload));
  } catch {
    return {};
  }
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}; // any object may be asked for any key
}

/** Of what has anything to see, as much as fits, without half characters. */
function readText(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string' || !VISIBLE.test(value)) return undefined;
  const text =
    value.length <= maxLength ? value : `${value.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
  return text.toWellFormed();
}

function readCount(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined; // a safe integer is a number
}

function readReceipt(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= MAX_RECEIPT ? value : undefined;
}
