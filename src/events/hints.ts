import type { SecurityEvent } from '../http/log/security-log.ts';
import type { LogEvent } from './log-events.ts';

/** An in-process notice of a commit. Losing one is harmless, since the database has the truth. */
export type ServiceEvent =
  /** `bySuspension`: their user is suspended; `byLeaving`: they asked for the deletion of their account. A version before a field has no such changes. */
  | {
      readonly type: 'sessions-ended';
      readonly sessionIds: readonly string[];
      readonly bySuspension?: boolean;
      readonly byLeaving?: boolean;
    }
  /** `changesPresence`: whether it concerns who sees whose presence. A version before this field has no such changes. */
  | { readonly type: 'user-changed'; readonly userId: string; readonly changesPresence?: boolean }
  /**
   * `blockerId` blocked or unblocked `blockedId`, or has not accepted their message request (`isBlocked`), or has; published
   * before the `inbox` event of the same change. From another node such events may come late and out of order: then the database has
   * the truth.
   */
  | {
      readonly type: 'block-changed';
      readonly blockerId: string;
      readonly blockedId: string;
      readonly isBlocked: boolean;
      /** Of a message request: it leaves the events that devices get as they are. */
      readonly isRequest?: boolean;
    }
  | { readonly type: 'inbox'; readonly userId: string; readonly event: LogEvent }
  /** `from` is typing to `to`; never stored. Blocks were checked, and each socket checks them again. */
  | { readonly type: 'typing'; readonly from: string; readonly to: string }
  /** A command of the operator wrote to the database beside the server: everything in memory may be outdated. */
  | { readonly type: 'external-change' }
  /** This process erased a user. */
  | { readonly type: 'user-erased'; readonly userId: string }
  /** A command of the operator did this to a user, once or `count` times: it concerns the log alone. */
  | {
      readonly type: 'operator-act';
      readonly act: SecurityEvent | 'account_erased';
      readonly userId: string;
      readonly count: number;
    }
  /** A mail was queued: the worker of this process sends it. */
  | { readonly type: 'mail-queued' }
  /** Another node has no link to send hints over: what it stores has to be looked for. */
  | { readonly type: 'hints-lost' }
  /** Numbers of events that devices have may be given to others: what was remembered of such numbers is void. */
  | { readonly type: 'epoch-renewed' }
  /** The wall clock was set by 2 s or more: times that were stored before may be far ahead, or past. */
  | { readonly type: 'clock-step' };

/** Where an event comes from: a commit of this process, or another node of the service. */
export type Origin = 'own' | 'other';

type Listener = (event: ServiceEvent, origin: Origin) => void;
/** @param ids the rows of a commit in the table `changes` */
type ChangesListener = (ids: readonly string[]) => Promise<void> | void;

/** Hints within one process. Listeners run synchronously, in the order of their subscription, before `publish` or `receive` returns. */
export class Events {
  readonly #listeners = new Set<Listener>();
  readonly #changesListeners = new Set<ChangesListener>();
  #isCurrent = () => true;

  /** Whether what is remembered of the database may be used. Always true for a single server. */
  get isCurrent(): boolean {
    return this.#isCurrent();
  }

  setCurrentWhile(isCurrent: () => boolean): void {
    this.#isCurrent = isCurrent;
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
   * To be called with the rows of `changes` of a commit after its events were published, and awaited before the caller is answered: so
   * the answer of another node does not contradict this one. Resolves at once where there are no other nodes.
   */
  async shareChanges(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await Promise.all([...this.#changesListeners].map((listener) => listener(ids)));
  }

  /** Publishes the event of a commit that concerns nothing else, and shares its row of `changes`. */
  async publishChange(event: ServiceEvent, id: string): Promise<void> {
    this.publish(event);
    await this.shareChanges([id]);
  }

  /** @param listener called with the rows of each commit of this process; it must not reject */
  onChanges(listener: ChangesListener): void {
    this.#changesListeners.add(listener);
  }
}
