import type { SecurityEvent } from '../http/log/security-log.ts';
import type { LogEvent } from './log-events.ts';

/** An in-process notice of a commit. Losing one is harmless, since the database has the truth. */
export type ServiceEvent =
  | { readonly type: 'sessions-ended'; readonly sessionIds: readonly string[] }
  | { readonly type: 'user-changed'; readonly userId: string }
  /**
   * `blockerId` blocked or unblocked `blockedId`; published before the `inbox` event of the same change. From another node such
   * events may come late and out of order: then the database has the truth.
   */
  | {
      readonly type: 'block-changed';
      readonly blockerId: string;
      readonly blockedId: string;
      readonly isBlocked: boolean;
    }
  | { readonly type: 'inbox'; readonly userId: string; readonly event: LogEvent }
  /** `from` is typing to `to`; never stored. Blocks were checked, and each socket checks them again. */
  | { readonly type: 'typing'; readonly from: string; readonly to: string }
  /** A command of the operator wrote to the database beside the server: everything in memory may be outdated. */
  | { readonly type: 'external-change' }
  /** A command of the operator did this to a user, once or `count` times: it concerns the log alone. */
  | {
      readonly type: 'operator-act';
      readonly act: SecurityEvent;
      readonly userId: string;
      readonly count: number;
    }
  /** Another node has no link to send hints over: what it stores has to be looked for. */
  | { readonly type: 'hints-lost' }
  /** Numbers of events that devices have may be given to others: what was remembered of such numbers is void. */
  | { readonly type: 'epoch-renewed' }
  /** The wall clock was set by 2 s or more: times that were stored before may be far ahead, or past. */
  | { readonly type: 'clock-step' };

/** The subject of a change, by its kind; a space separates several ids. */
type ChangeKind =
  /** Subject: the ids of the sessions. */
  | 'sessions-ended'
  /** Subject: the id of a user whose public fields changed, or who registered. */
  | 'user-changed'
  /** Subject: the ids of the blocker and the blocked user. */
  | 'block'
  | 'unblock'
  /** A node has no link to the others. Subject: empty. */
  | 'hints-lost'
  /** A command of the operator did something to a user that is logged. Subject: the word, the id of the user, and how often. */
  | 'operator-act'
  /** A command of the operator wrote to the database. Subject: empty. */
  | 'everything';

/** A change after which other nodes drop what they have cached of its subject. */
export interface Change {
  readonly id: string;
  readonly kind: ChangeKind;
  readonly subject: string;
}

/** Where an event comes from: a commit of this process, or another node of the service. */
export type Origin = 'own' | 'other';

type Listener = (event: ServiceEvent, origin: Origin) => void;
type Announcer = (changes: readonly Change[]) => Promise<void> | void;

/** Hints within one process. Listeners run synchronously, in the order of their subscription, before `publish` or `receive` returns. */
export class Events {
  readonly #listeners = new Set<Listener>();
  readonly #announcers = new Set<Announcer>();
  #hasReadLately = () => true;
  #isTrusted = () => true;

  /** Whether what other nodes changed was read within the last 3 s; otherwise no data may be written to a socket. True for a single server. */
  get hasReadLately(): boolean {
    return this.#hasReadLately();
  }

  /** Whether what is remembered of the database may be used. Always true for a single server. */
  get isCurrent(): boolean {
    return this.#hasReadLately() && this.#isTrusted();
  }

  /** Called by the reader of changes where there are other nodes. */
  setCurrentWhile(hasReadLately: () => boolean): void {
    this.#hasReadLately = hasReadLately;
  }

  /** @param isTrusted whether the answers of other nodes wait until this one has read what they changed */
  setTrustedWhile(isTrusted: () => boolean): void {
    this.#isTrusted = isTrusted;
  }

  /** An event of this process, after its commit. */
  publish(event: ServiceEvent): void {
    for (const listener of this.#listeners) listener(event, 'own');
  }

  /** An event of another node, or one that was found in the database. It may come late, twice, or after a later one. */
  receive(event: ServiceEvent): void {
    for (const listener of this.#listeners) listener(event, 'other');
  }

  subscribe(listener: Listener): void {
    this.#listeners.add(listener);
  }

  /**
   * To be called with the changes of a commit after their events were published, and awaited before the caller is answered: so
   * the answer of another node does not contradict this one. Resolves at once where there are no other nodes.
   */
  async announce(changes: readonly Change[]): Promise<void> {
    if (changes.length > 0) await Promise.all([...this.#announcers].map((announcer) => announcer(changes)));
  }

  /** Publishes the event of a commit that concerns nothing else, and announces its change. */
  async publishChange(event: ServiceEvent, change: Change): Promise<void> {
    this.publish(event);
    await this.announce([change]);
  }

  /** @param announcer takes the changes of each commit of this process; it must not reject */
  onAnnounce(announcer: Announcer): void {
    this.#announcers.add(announcer);
  }
}
