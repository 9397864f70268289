import { DoormanError, type PushClient, type PushState } from 'doorman-client';
import { useMemo } from 'react';
import { useReadable, useStores } from '../../data/hooks.ts';
import { Store } from '../../data/store.ts';
import { readToPage } from '../../worker/messages.ts';

/** How it stands with notifications on this device. */
export interface PushHereView {
  /** Absent until the browser was asked. */
  readonly state: PushState | undefined;
  /** `asking`: the browser asks the user. */
  readonly doing: 'asking' | 'turning_on' | 'turning_off' | undefined;
  /** What was caught at the last try to have it as the user wants it. */
  readonly error: unknown;
  /** The browser's question was left without a yes or a no. */
  readonly isUnanswered: boolean;
}

const UNKNOWN: PushHereView = { state: undefined, doing: undefined, error: undefined, isUnanswered: false };

/** One for all who show it: what one of them does, or the user does in the browser's settings, all of them see. */
export class PushHere {
  readonly view: Store<PushHereView>;
  readonly #push: PushClient;
  #turn = 0;
  #listens = false;

  constructor(push: PushClient) {
    this.#push = push;
    this.view = new Store(UNKNOWN, () => this.#begin());
  }

  /** To be called in the handler of a click, after saying what for. @returns how it stands then */
  async enable(): Promise<PushHereView> {
    await this.#act(isUndecided() ? 'asking' : 'turning_on', async () => {
      const state = await this.#push.enable();
      this.#set({ state, isUnanswered: state === 'off' && isUndecided() });
    });
    return this.view.getSnapshot();
  }

  /** @throws {DoormanError} what the service says; it is off here all the same */
  async disable(): Promise<void> {
    const error = await this.#act('turning_off', () => this.#push.disable());
    if (this.view.getSnapshot().state !== 'on') this.#set({ error: undefined });
    if (error !== undefined) throw error;
  }

  /** Another subscription in place of one that is no good any more. @returns how it stands then */
  async renew(): Promise<PushHereView> {
    await this.#act('turning_on', async () => {
      await this.#push.disable();
      await this.#push.enable();
    });
    return this.view.getSnapshot();
  }

  /** Sees to it that whoever wants notifications has them; asks the service. */
  async check(): Promise<void> {
    if (this.view.getSnapshot().doing !== undefined) return;
    const turn = this.#turn;
    try {
      const state = await this.#push.check();
      if (turn === this.#turn) this.#set({ state, error: undefined });
    } catch (error) {
      const isOffline = error instanceof DoormanError && error.error === 'unreachable';
      if (turn === this.#turn) this.#set({ error: isOffline ? undefined : error });
      await this.#look();
    }
  }

  /** @returns what was caught */
  async #act(doing: PushHereView['doing'], act: () => Promise<unknown>): Promise<unknown> {
    this.#turn += 1;
    const turn = this.#turn;
    this.#set({ doing, error: undefined, isUnanswered: false });
    let caught: unknown;
    try {
      await act();
    } catch (error) {
      caught = error;
      if (turn === this.#turn) this.#set({ error });
    }
    await this.#look();
    if (turn === this.#turn) this.#set({ doing: undefined });
    return caught;
  }

  async #look(): Promise<void> {
    this.#set({ state: await this.#push.state() });
  }

  #begin(): void {
    this.#turn += 1;
    this.view.set(UNKNOWN);
    void this.#look();
    if (this.#listens) return;
    this.#listens = true;
    document.addEventListener('visibilitychange', () => void this.#look());
    navigator.serviceWorker?.addEventListener('message', ({ data }) => {
      if (readToPage(data)?.doorman === 'push-changed') void this.#look();
    });
    void this.#listenForPermission();
  }

  async #listenForPermission(): Promise<void> {
    // Where there is no such question, coming back to the page shows what was changed.
    const permission = await navigator.permissions?.query({ name: 'notifications' }).catch(() => undefined);
    permission?.addEventListener('change', () => {
      if (this.view.getSnapshot().doing === 'asking' && !isUndecided()) this.#set({ doing: 'turning_on' });
      if (this.view.getSnapshot().doing === undefined && permission.state === 'granted') void this.check();
      else void this.#look();
    });
  }

  #set(change: Partial<PushHereView>): void {
    const before = this.view.getSnapshot();
    const isNew = Object.entries(change).some(
      ([name, value]) => before[name as keyof PushHereView] !== value,
    ); // its own names
    if (isNew) this.view.set({ ...before, ...change });
  }
}

/** Whether the browser would ask the user. */
export function isUndecided(): boolean {
  return 'Notification' in globalThis && Notification.permission === 'default';
}

const known = new WeakMap<PushClient, PushHere>();

export function usePushHere(): { view: PushHereView; here: PushHere } {
  const { push } = useStores().doorman;
  const here = useMemo(() => {
    const made = known.get(push) ?? new PushHere(push);
    known.set(push, made);
    return made;
  }, [push]);
  return { view: useReadable(here.view), here };
}
