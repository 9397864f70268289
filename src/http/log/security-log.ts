import type { Logger } from 'pino';
import { networkOf } from '../client-address.ts';

/** The words of security events; docs/logs.md describes each. */
export const SECURITY_EVENTS = [
  'signed_in',
  'sign_in_failed',
  'password_changed',
  'link_made',
  'link_used',
  'session_ended',
  'refused',
] as const;

export type SecurityEvent = (typeof SECURITY_EVENTS)[number];

/** Bounds the memory and the lines of a minute; events of further users and networks share one line for each word. */
const MAX_COUNTED = 1000;

/** The word of a refusal that no limit of a caller causes. */
const OVERLOADED = 'overloaded';

interface Counted {
  readonly fields: object;
  count: number;
}

/**
 * Logs the security events: a word, the user's id and the network of the client, never a name, password, token or whole address. What a
 * caller can cause without end is counted, for one line a minute.
 */
export class SecurityLog {
  readonly #log: Pick<Logger, 'info'>;
  readonly #counted = new Map<string, Counted>();

  constructor(log: Pick<Logger, 'info'>) {
    this.#log = log;
  }

  /**
   * Logs an event at once.
   *
   * @param address the key of the client's address (`clientKey`); `undefined` where no client caused it
   * @param count how many of them happened together; none: no line
   */
  write(event: SecurityEvent, userId: string, address?: string, count = 1): void {
    const network = address === undefined ? undefined : networkOf(address);
    if (count > 0) this.#write({ event, userId, network }, count);
  }

  /** Counts a failed sign-in. @param userId `undefined`: there is no such user */
  failedSignIn(userId: string | undefined, address: string): void {
    this.#count({ event: 'sign_in_failed' }, userId, address);
  }

  /** Counts a refusal by a limit, by its word. @param userId `undefined`: the caller is not known */
  refused(limit: string, userId: string | undefined, address: string): void {
    if (limit !== OVERLOADED) this.#count({ event: 'refused', limit }, userId, address);
  }

  /** Logs what was counted since the last report. */
  report(): void {
    for (const { fields, count } of this.#counted.values()) this.#write(fields, count);
    this.#counted.clear();
  }

  #count(what: { event: SecurityEvent; limit?: string }, userId: string | undefined, address: string): void {
    const own = { ...what, userId, network: networkOf(address) };
    const isSurplus = this.#counted.size >= MAX_COUNTED && !this.#counted.has(JSON.stringify(own));
    const fields = isSurplus ? { event: what.event } : own;
    const key = JSON.stringify(fields);
    const counted = this.#counted.get(key) ?? { fields, count: 0 };
    counted.count++;
    this.#counted.set(key, counted);
  }

  #write(fields: object, count: number): void {
    this.#log.info({ ...fields, ...(count > 1 && { count }) }, 'security');
  }
}
