import { DoormanError, type PushClient, type PushState } from 'doorman-client';
import { useMemo } from 'react';
import { useReadable, useStores } from '../../data/hooks.ts';
import { Store } from '../../data/store.ts';
import { pageLanguage } from '../../i18n/languages.ts';
import { readToPage } from '../../worker/messages.ts';

/** Whether notifications are on on this device, and what is being done about it. */
export interface ThisDevicePushView {
  /** Absent until the browser has answered. */
  readonly state: PushState | undefined;
  /** `asking`: the browser shows its question to the user. */
  readonly doing: 'asking' | 'turning_on' | 'turning_off' | undefined;
  /** The error of the last try to turn notifications on or off. */
  readonly error: unknown;
  /** The user closed the browser's question without an answer. */
  readonly isUnanswered: boolean;
}

const UNKNOWN: ThisDevicePushView = {
  state: undefined,
  doing: undefined,
  error: undefined,
  isUnanswered: false,
};

/**
 * Turns notifications on this device on and off. All components share one object, so that each shows what another one, or
 * the user in the settings of the browser, has changed.
 */
class ThisDevicePush {
  readonly view: Store<ThisDevicePushView>;
  readonly #push: PushClient;
  /** Counts the calls, so that an earlier one does not overwrite what a later one found. */
  #calls = 0;
  #isListening = false;

  constructor(push: PushClient) {
    this.#push = push;
    this.view = new Store(UNKNOWN, () => this.#begin());
  }

  /** Call it in the handler of a click, after explaining what notifications are for. @returns the new view */
  async enable(): Promise<ThisDevicePushView> {
    await this.#act(isUndecided() ? 'asking' : 'turning_on', async () => {
      const state = await this.#push.enable({ lang: pageLanguage() });
      this.#set({ state, isUnanswered: state === 'off' && isUndecided() });
    });
    return this.view.getSnapshot();
  }

  /** @throws {DoormanError} if the service refuses; notifications are off on this device all the same */
  async disable(): Promise<void> {
    const error = await this.#act('turning_off', () => this.#push.disable());
    if (this.view.getSnapshot().state !== 'on') this.#set({ error: undefined });
    if (error !== undefined) throw error;
  }

  /** Replaces a subscription that does not work any more. @returns the new view */
  async renew(): Promise<ThisDevicePushView> {
    await this.#act('turning_on', async () => {
      await this.#push.disable();
      await this.#push.enable({ lang: pageLanguage() });
    });
    return this.view.getSnapshot();
  }

  /** Restores the subscription of a user who wants notifications, where the browser or the service lost it. */
  async check(): Promise<void> {
    if (this.view.getSnapshot().doing !== undefined) return;
    const call = this.#calls;
    try {
      const state = await this.#push.check({ lang: pageLanguage() });
      if (call === this.#calls) this.#set({ state, error: undefined });
    } catch (error) {
      const isOffline = error instanceof DoormanError && error.error === 'unreachable';
      if (call === this.#calls) this.#set({ error: isOffline ? undefined : error });
      await this.#readState();
    }
  }

  /** @returns the error, if there was one */
  async #act(doing: ThisDevicePushView['doing'], act: () => Promise<unknown>): Promise<unknown> {
    this.#calls += 1;
    const call = this.#calls;
    this.#set({ doing, error: undefined, isUnanswered: false });
    let caught: unknown;
    try {
      await act();
    } catch (error) {
      caught = error;
      if (call === this.#calls) this.#set({ error });
    }
    await this.#readState();
    if (call === this.#calls) this.#set({ doing: undefined });
    return caught;
  }

  async #readState(): Promise<void> {
    this.#set({ state: await this.#push.state() });
  }

  #begin(): void {
    this.#calls += 1;
    this.view.set(UNKNOWN);
    void this.#readState();
    if (this.#isListening) return;
    this.#isListening = true;
    document.addEventListener('visibilitychange', () => void this.#readState());
    navigator.serviceWorker?.addEventListener('message', ({ data }) => {
      if (readToPage(data)?.doorman === 'push-changed') void this.#readState();
    });
    void this.#listenForPermission();
  }

  async #listenForPermission(): Promise<void> {
    // Where the permission cannot be queried, the state is read when the user comes back to the page.
    const permission = await navigator.permissions?.query({ name: 'notifications' }).catch(() => undefined);
    permission?.addEventListener('change', () => {
      if (this.view.getSnapshot().doing === 'asking' && !isUndecided()) this.#set({ doing: 'turning_on' });
      if (this.view.getSnapshot().doing === undefined && permission.state === 'granted') void this.check();
      else void this.#readState();
    });
  }

  #set(change: Partial<ThisDevicePushView>): void {
    const before = this.view.getSnapshot();
    const isNew = Object.entries(change).some(
      ([name, value]) => before[name as keyof ThisDevicePushView] !== value,
    ); // the keys of the view itself
    if (isNew) this.view.set({ ...before, ...change });
  }
}

/** Whether the user has neither allowed nor refused notifications, so that the browser would ask. */
export function isUndecided(): boolean {
  return 'Notification' in globalThis && Notification.permission === 'default';
}

const instances = new WeakMap<PushClient, ThisDevicePush>();

export function useThisDevicePush(): { view: ThisDevicePushView; thisDevice: ThisDevicePush } {
  const { push } = useStores().doorman;
  const thisDevice = useMemo(() => {
    const made = instances.get(push) ?? new ThisDevicePush(push);
    instances.set(push, made);
    return made;
  }, [push]);
  return { view: useReadable(thisDevice.view), thisDevice };
}
