import type { LogEvent } from './log-events.ts';

/** What one part of the service publishes to the others after a commit. A hint may be lost: the truth is in the database. */
export type ServiceEvent =
  | { readonly type: 'sessions-ended'; readonly sessionIds: readonly string[] }
  | { readonly type: 'user-changed'; readonly userId: string }
  /** The user's inbox has a new event. */
  | { readonly type: 'inbox'; readonly userId: string; readonly event: LogEvent }
  /** `from` is typing to `to`; never stored. Blocks were checked, and each socket checks them again. */
  | { readonly type: 'typing'; readonly from: string; readonly to: string }
  /** A command of the operator wrote to the database beside the server: everything in memory may be outdated. */
  | { readonly type: 'external-change' }
  /** The wall clock was set by 2 s or more: times that were stored before may be far ahead, or past. */
  | { readonly type: 'clock-step' };

type Listener = (event: ServiceEvent) => void;

/** Hints within one process. Listeners run synchronously, in the order of their subscription, before `publish` returns. */
export class Events {
  readonly #listeners = new Set<Listener>();

  publish(event: ServiceEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  subscribe(listener: Listener): void {
    this.#listeners.add(listener);
  }
}
