import { hash } from 'node:crypto';
import { pushTexts } from './texts.ts';

export type Preview = 'full' | 'sender' | 'none';

export interface MessageNotification {
  /** Returned by the device when the notification is shown or clicked. */
  readonly receipt: string;
  readonly preview: Preview;
  readonly peerId: string;
  /** The peer's name as the user sees it. */
  readonly sender: string;
  /** Unread messages of the peer, at least 1. */
  readonly unread: number;
  /** The text of the last one, if it is to be shown and still known. */
  readonly text: string | undefined;
  /** Unread messages of all users that the user does not block. */
  readonly badge: number;
}

/** The limit of a message's text, as JSON in UTF-8: more than any screen shows, and far below the limit of a push. */
const MAX_TEXT_BYTES = 1_000;
/** The limit of a name, which may have 64 code points, six bytes each where JSON escapes them. */
const MAX_NAME_BYTES = 400;

const graphemes = new Intl.Segmenter();

/**
 * The payload for a confirmed device: a declarative push message (Push API, "Declarative push message"), so that Safari
 * needs no worker; elsewhere our worker reads it. It is below 3,000 bytes for any text.
 *
 * @param language of the subscription, for our own words
 */
export function messagePayload(
  publicUrl: string,
  language: string,
  notification: MessageNotification,
): Buffer {
  const { receipt, preview, peerId, sender, unread, text, badge } = notification;
  const { lang, newMessages } = pushTexts(language);
  const count = newMessages(unread);
  const title = preview === 'none' ? 'Doorman' : cutText(sender, MAX_NAME_BYTES);
  const shown = preview === 'full' && text !== undefined ? cutText(text, MAX_TEXT_BYTES) : undefined;
  const body = shown === undefined ? count : unread > 1 ? `${count}\n${shown}` : shown;
  const path = chatPath(peerId);
  return toPayload(publicUrl, { lang, title, body, path, tag: chatTag(peerId), badge, receipt });
}

/** A payload without texts, for a push service that found {@link messagePayload} too large (413). */
export function shortPayload(publicUrl: string, language: string, peerId: string, receipt: string): Buffer {
  const { lang, somethingNew } = pushTexts(language);
  return toPayload(publicUrl, {
    lang,
    title: 'Doorman',
    body: somethingNew,
    path: chatPath(peerId),
    tag: chatTag(peerId),
    receipt,
  });
}

/**
 * The payload for an unconfirmed device: without sender, text and count (promise 7), and without a receipt, as the device
 * may belong to a stranger.
 */
export function genericPayload(publicUrl: string, language: string): Buffer {
  const { lang, somethingNew } = pushTexts(language);
  return toPayload(publicUrl, { lang, title: 'Doorman', body: somethingNew, path: '/', tag: 'doorman' });
}

/**
 * The `Topic` by which a push service replaces what it did not deliver yet (RFC 8030 5.4): 32 characters, the same for
 * the same device and conversation. It is hashed with the device's secret, so it reveals nothing to the push service.
 */
export function topicOf(auth: string, userId: string, peerId: string): string {
  return hash('sha256', `${auth} ${userId} ${peerId}`, 'base64url').slice(0, 32);
}

/**
 * As much of the beginning as fits, with an ellipsis if something was cut. A grapheme (what people see as one character) is
 * never split, unless it alone is longer than the limit.
 *
 * @param maxBytes of the text inside a JSON string, in UTF-8
 */
export function cutText(text: string, maxBytes: number): string {
  let bytes = 0;
  let end = 0;
  let at = 0;
  for (const point of text) {
    bytes += jsonBytes(point);
    at += point.length;
    if (bytes > maxBytes) {
      // 100 units more are enough context to find the boundary of the grapheme.
      const whole = graphemes.segment(text.slice(0, end + 100)).containing(end)?.index;
      return `${text.slice(0, whole || end)}…`;
    }
    if (bytes <= maxBytes - 3) end = at;
  }
  return text;
}

function jsonBytes(point: string): number {
  const code = point.codePointAt(0) ?? 0;
  if (code < 0x20) return '\b\t\n\f\r'.includes(point) ? 2 : 6;
  if (code < 0x80) return point === '"' || point === '\\' ? 2 : 1;
  return code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

/** A test send: fixed words, so an unconfirmed device may have them too, without a receipt. */
export function testPayload(publicUrl: string, language: string, receipt: string | undefined): Buffer {
  const { lang, test } = pushTexts(language);
  return toPayload(publicUrl, {
    lang,
    title: 'Doorman',
    body: test,
    path: '/',
    tag: 'doorman-test',
    receipt,
  });
}

interface Notification {
  readonly lang: string;
  readonly title: string;
  readonly body: string;
  readonly path: string;
  readonly tag: string;
  readonly badge?: number;
  readonly receipt?: string | undefined;
}

/** The direction is that of each text: a name or a message may be in any language. */
function toPayload(
  publicUrl: string,
  { lang, title, body, path, tag, badge, receipt }: Notification,
): Buffer {
  const notification = { title, lang, dir: 'auto', body, navigate: publicUrl + path, tag };
  const doorman = receipt === undefined ? undefined : { receipt };
  return Buffer.from(JSON.stringify({ web_push: 8030, notification, app_badge: badge, doorman }));
}

function chatPath(peerId: string): string {
  return `/chat/${encodeURIComponent(peerId)}`;
}

function chatTag(peerId: string): string {
  return `chat-${peerId}`;
}
