import { toPagePath } from '../paths.ts';

/** The content of a push, checked. */
interface PushMessage {
  /** Never empty. */
  readonly title: string;
  readonly body: string;
  /** The language with which the device subscribed (BCP 47); empty if the push does not say it. */
  readonly lang: string;
  /** Of the conversation: a notification replaces an earlier one with the same tag. Never empty. */
  readonly tag: string;
  /** The path that a click opens, always one of the page. */
  readonly path: string;
  /** The number on the app's icon; 0 removes it. */
  readonly badge: number | undefined;
  /** Identifies the push in the receipt to the service. */
  readonly receipt: string | undefined;
}

/** A push has at most 3,993 bytes (RFC 8291 4): a far larger payload did not come from a push service. */
const MAX_PAYLOAD = 8_192;
/** More than the service sends: 64 code points of a name, 1,000 bytes of a message. */
const MAX_TITLE = 200;
const MAX_BODY = 1_500;
const MAX_TAG = 200;
const MAX_RECEIPT = 500;
const MAX_LANG = 35;

const LANG = /^[a-z]{1,8}(?:-[a-z\d]{1,8})*$/i;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * Reads a Declarative Web Push message (Push API, "Declarative push message") with the service's own `doorman.receipt`.
 * A browser requires a notification for every push, so this never throws: unusable fields get default texts.
 *
 * @param payload unchecked; undefined for a push without one
 * @param language of the browser, such as `zh-CN`, for a push that does not say that of its device
 */
export function readPushMessage(
  payload: string | undefined,
  { origin, language }: { origin: string; language: string },
): PushMessage {
  const message = parseRecord(payload);
  const notification = asRecord(message.notification);
  const lang = readLang(notification.lang);
  return {
    title: readText(notification.title, MAX_TITLE) ?? 'Doorman',
    body: readText(notification.body, MAX_BODY) ?? newMessageIn(lang || language),
    lang,
    tag: readText(notification.tag, MAX_TAG) ?? 'doorman',
    path: toPagePath(notification.navigate, origin),
    badge: readCount(message.app_badge),
    receipt: readReceipt(asRecord(message.doorman).receipt),
  };
}

function newMessageIn(language: string): string {
  return language.toLowerCase().startsWith('zh') ? '新消息' : 'New message';
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
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}; // any key of an object can be read
}

/** A text with visible characters, cut to `maxLength` between characters. */
function readText(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string' || !VISIBLE.test(value)) return undefined;
  const text =
    value.length <= maxLength ? value : `${value.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
  return text.toWellFormed();
}

function readLang(value: unknown): string {
  return typeof value === 'string' && value.length <= MAX_LANG && LANG.test(value) ? value : '';
}

function readCount(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined; // a safe integer is a number
}

function readReceipt(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= MAX_RECEIPT ? value : undefined;
}
