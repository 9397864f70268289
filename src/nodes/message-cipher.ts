import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import { deriveKey, type Installation } from './installation.ts';

/** A version drops messages of another one: the data of each type has one shape in a version. */
const VERSION = 2;
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const NAME_BYTES = 36;
const COUNTER_BYTES = 6;
// The version, the sender's name and counter, the encrypted text, the tag.
const NAME_AT = 1;
const COUNTER_AT = NAME_AT + NAME_BYTES;
const TEXT_AT = COUNTER_AT + COUNTER_BYTES;
/** A message that was sent so long ago, or is so far ahead of this node's time, is dropped. */
const FRESH_MS = 15_000;
/** More names than join within the time in which a message is fresh. */
const MAX_SENDERS = 1_000;
const WARN_MS = 60_000;

export interface Message {
  readonly from: string;
  readonly type: string;
  /** The number of the message in its stream; 0 of a heartbeat. */
  readonly n: number;
  readonly data: unknown;
}

interface Sender {
  readonly key: KeyObject;
  counter: number;
}

/**
 * Why a message was dropped: no node of this installation and version wrote it for this channel; its sender's counter was higher
 * already; it is older than 15 s, or ahead by as much; or its data has another shape than its type.
 */
type DropReason = 'unverified' | 'repeated' | 'outdated' | 'malformed';

/** Counts the messages on Redis that this node did not take, with one warning a minute. */
class DroppedMessages {
  /** Since the start. */
  readonly totals: Record<DropReason, number> = { unverified: 0, repeated: 0, outdated: 0, malformed: 0 };
  readonly #log: Pick<Logger, 'warn'>;
  readonly #monotonicMs: () => number;
  #reported = { ...this.totals };
  #warnsAgainAt = Number.NEGATIVE_INFINITY;

  constructor(log: Pick<Logger, 'warn'>, monotonicMs: () => number) {
    this.#log = log;
    this.#monotonicMs = monotonicMs;
  }

  count(reason: DropReason): undefined {
    this.totals[reason]++;
    const now = this.#monotonicMs();
    if (now < this.#warnsAgainAt) return;
    this.#warnsAgainAt = now + WARN_MS;
    const dropped = Object.fromEntries(
      Object.entries(this.totals).map(([name, total]) => [name, total - this.#reported[name as DropReason]]),
    );
    this.#reported = { ...this.totals };
    this.#log.warn({ dropped }, 'messages on Redis were dropped');
  }
}

/**
 * Encrypts messages between the nodes of one installation (AES-256-GCM), and drops what none of them has just written. A node's key
 * is derived from its name (RFC 5869), and its counter, the nonce, is the same for all channels, on which Redis keeps one order. The channel
 * is authenticated too.
 */
export class MessageCipher {
  readonly dropped: DroppedMessages;
  readonly #installation: Installation;
  readonly #now: () => number;
  /** Also those that have left, the latest last: their messages could be repeated while they are fresh. */
  readonly #senders = new Map<string, Sender>();
  /** Random; the sender of all messages. */
  readonly name = crypto.randomUUID();
  readonly #own: Sender;

  constructor(
    installation: Installation,
    { now, monotonicMs }: Pick<Clock, 'now' | 'monotonicMs'>,
    log: Pick<Logger, 'warn'>,
  ) {
    this.#installation = installation;
    this.#now = now;
    this.dropped = new DroppedMessages(log, monotonicMs);
    this.#own = { key: this.#keyOf(this.name), counter: 0 };
  }

  encrypt(channel: string, content: Omit<Message, 'from'>): Buffer {
    const counter = ++this.#own.counter;
    const cipher = createCipheriv(CIPHER, this.#own.key, nonceOf(counter));
    cipher.setAAD(Buffer.from(channel));
    const head = Buffer.allocUnsafe(TEXT_AT);
    head[0] = VERSION;
    head.write(this.name, NAME_AT, 'latin1');
    head.writeUIntBE(counter, COUNTER_AT, COUNTER_BYTES);
    const text = cipher.update(JSON.stringify({ at: this.#now(), ...content }), 'utf8');
    return Buffer.concat([head, text, cipher.final(), cipher.getAuthTag()]);
  }

  /** `undefined` for this node's own messages, which it receives too, and for those that were dropped. */
  decrypt(channel: string, bytes: Buffer): Message | undefined {
    if (bytes.length < TEXT_AT + TAG_BYTES || bytes[0] !== VERSION) return this.dropped.count('unverified');
    const from = bytes.toString('latin1', NAME_AT, COUNTER_AT);
    if (from === this.name) return undefined;
    const sender = this.#senders.get(from) ?? { key: this.#keyOf(from), counter: 0 };
    const counter = bytes.readUIntBE(COUNTER_AT, COUNTER_BYTES);
    if (counter <= sender.counter) return this.dropped.count('repeated');
    const text = decryptText(sender.key, counter, channel, bytes);
    if (text === undefined) return this.dropped.count('unverified');
    // A node of this version has written it.
    const { at, type, n, data } = JSON.parse(text) as Omit<Message, 'from'> & { at: number };
    sender.counter = counter;
    if (Math.abs(this.#now() - at) > FRESH_MS) return this.dropped.count('outdated');
    this.#remember(from, sender);
    return { from, type, n, data };
  }

  #keyOf(name: string): KeyObject {
    return createSecretKey(deriveKey(this.#installation, `messages ${VERSION}`, name));
  }

  /** Outdated messages of unknown names do not come here, so no number of them makes this node forget another one. */
  #remember(name: string, sender: Sender): void {
    this.#senders.delete(name);
    this.#senders.set(name, sender);
    const [oldest] = this.#senders.keys();
    if (this.#senders.size > MAX_SENDERS && oldest !== undefined) this.#senders.delete(oldest);
  }
}

function decryptText(key: KeyObject, counter: number, channel: string, bytes: Buffer): string | undefined {
  const decipher = createDecipheriv(CIPHER, key, nonceOf(counter), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(channel));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const text = decipher.update(bytes.subarray(TEXT_AT, -TAG_BYTES));
  try {
    decipher.final();
  } catch {
    return undefined; // the tag does not fit
  }
  return text.toString('utf8');
}

function nonceOf(counter: number): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeUIntBE(counter, NONCE_BYTES - COUNTER_BYTES, COUNTER_BYTES);
  return nonce;
}
