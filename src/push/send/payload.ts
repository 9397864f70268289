import { hash } from 'node:crypto';
import type { PushPreview } from '../../users/schemas.ts';
import { pushTexts } from './texts.ts';

/** What a notification of messages shows, as the job has it. */
export interface MessageNotification {
  /** Of the subscription, for our own words. */
  readonly language: string;
  readonly push_preview: PushPreview;
  readonly peer_id: string;
  /** The peer's name as the user sees it. */
  readonly sender: string;
  /** Unread messages of the peer; null for a conversation that is not known, which counts as one. */
  readonly unread: number | null;
  /** The text of the last message, if the user's preview shows it and the event is still kept. */
  readonly text: string | undefined;
  /** Unread messages in 100 conversations at most, without those that are muted and those of users that the user blocks. */
  readonly badge: number;
}

/** The limit of a message's text, as JSON in UTF-8: more than any screen shows, and far below the limit of a push. */
const MAX_TEXT_BYTES = 1_000;
/** The limit of a name, which may have 64 code points, six bytes each where JSON escapes them. */
const MAX_NAME_BYTES = 400;

const ELLIPSIS_BYTES = 3;
const graphemes = new Intl.Segmenter();

/**
 * The payload for a confirmed device: a declarative push message (Push API, "Declarative push message"), so that Safari
 * needs no worker; elsewhere our worker reads it. It is below 3,000 bytes for any text.
 *
 * @param receipt returned by the device when the notification is shown or clicked
 */
export function messagePayload(
  publicUrl: string,
  { language, push_preview: preview, peer_id: peerId, sender, unread, text, badge }: MessageNotification,
  receipt: string,
): Buffer {
  const { lang, newMessages } = pushTexts(language);
  const count = newMessages(unread ?? 1);
  const title = preview === 'none' ? undefined : cutText(sender, MAX_NAME_BYTES);
  const shown = preview === 'full' && text !== undefined ? cutText(text, MAX_TEXT_BYTES) : undefined;
  const body = shown === undefined ? count : (unread ?? 1) > 1 ? `${count}\n${shown}` : shown;
  const path = chatPath(peerId);
  return toPayload(publicUrl, { lang, title, body, path, tag: chatTag(peerId), badge, receipt });
}

/** A payload without texts, for a push service that found {@link messagePayload} too large (413). */
export function shortPayload(
  publicUrl: string,
  { language, peer_id: peerId }: Pick<MessageNotification, 'language' | 'peer_id'>,
  receipt: string,
): Buffer {
  const { lang, somethingNew: body } = pushTexts(language);
  return toPayload(publicUrl, { lang, body, path: chatPath(peerId), tag: chatTag(peerId), receipt });
}

/**
 * The payload for an unconfirmed device: without sender, text and count (promise 7), and without a receipt, as the device
 * may belong to a stranger.
 */
export function genericPayload(publicUrl: string, language: string): Buffer {
  const { lang, somethingNew: body } = pushTexts(language);
  return toPayload(publicUrl, { lang, body, path: '/', tag: 'doorman' });
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
  if (jsonBytes(text) <= maxBytes) return text;
  let bytes = ELLIPSIS_BYTES;
  let end = 0;
  for (const point of text) {
    bytes += jsonBytes(point);
    if (bytes > maxBytes) break;
    end += point.length;
  }
  // 100 units more are enough context to find the boundary of the grapheme.
  const whole = graphemes.segment(text.slice(0, end + 100)).containing(end)?.index;
  return `${text.slice(0, whole || end)}…`;
}

function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

/** A test send: fixed words, so an unconfirmed device may have them too, without a receipt. */
export function testPayload(publicUrl: string, language: string, receipt: string | undefined): Buffer {
  const { lang, test: body } = pushTexts(language);
  return toPayload(publicUrl, { lang, body, path: '/', tag: 'doorman-test', receipt });
}

interface Notification {
  readonly lang: string;
  readonly title?: string | undefined;
  readonly body: string;
  readonly path: string;
  readonly tag: string;
  readonly badge?: number;
  readonly receipt?: string | undefined;
}

/** The direction is that of each text: a name or a message may be in any language. */
function toPayload(
  publicUrl: string,
  { lang, title = 'Doorman', body, path, tag, badge, receipt }: Notification,
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
