import { type Doorman, trackActivity } from 'doorman-client';

/** What the stores use of the browser around the page. */
export interface BrowserEnvironment {
  /** Whether the user looks at the page: it is visible, and was used within the last minute, by the rule of the service. */
  isAttended(): boolean;
  /** Whether the page is visible and its window has the focus, also if the user is idle. */
  isInFront(): boolean;
  /** Notifies of each change of `isAttended`. @returns ends it */
  onAttention(listener: (isAttended: boolean) => void): () => void;
  /** Notifies when the page is hidden or closed. @returns ends it */
  onHidden(listener: () => void): () => void;
  /** Notifies whether the device has a network, as the browser knows it: at once, and when it changes. @returns ends it */
  onNetwork(listener: (hasNetwork: boolean) => void): () => void;
  /** Reports to the service whether the page is visible and in use. @returns ends it */
  trackActivity(doorman: Pick<Doorman, 'setView' | 'reconnectNow'>): () => void;
  /** The number on the app's icon; 0 removes it. */
  setBadge(count: number): void;
  /** Closes the notifications of those conversations for which `isOver` is true. */
  closeNotifications(isOver: (peer: string) => boolean): void;
}

export function browserEnvironment(): BrowserEnvironment {
  let isAttended = false;
  const listeners = new Set<(isAttended: boolean) => void>();
  return {
    isAttended: () => isAttended,
    isInFront: () => document.visibilityState === 'visible' && document.hasFocus(),
    onAttention(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onHidden(listener) {
      const ending = new AbortController();
      const { signal } = ending;
      const onVisibilityChange = () => document.visibilityState === 'hidden' && listener();
      document.addEventListener('visibilitychange', onVisibilityChange, { signal });
      window.addEventListener('pagehide', listener, { signal });
      return () => ending.abort();
    },
    onNetwork(listener) {
      const ending = new AbortController();
      const onChange = () => listener(navigator.onLine);
      for (const type of ['online', 'offline']) addEventListener(type, onChange, { signal: ending.signal });
      onChange();
      return () => ending.abort();
    },
    trackActivity(doorman) {
      const setView = (view: { visible: boolean; active: boolean }) => {
        doorman.setView(view);
        const isNow = view.visible && view.active;
        if (isNow === isAttended) return;
        isAttended = isNow;
        for (const listener of listeners) listener(isNow);
      };
      return trackActivity({ setView, reconnectNow: () => doorman.reconnectNow() }, document);
    },
    setBadge(count) {
      // Some browsers have no badges, or refuse them to a page that is not installed: the page goes on without.
      if (count > 0 && 'setAppBadge' in navigator) navigator.setAppBadge(count).catch(() => {});
      else if ('clearAppBadge' in navigator) navigator.clearAppBadge().catch(() => {});
    },
    closeNotifications: (isOver) => void closeNotificationsOf(isOver),
  };
}

/** The `tag` that the service gives to the notifications of a conversation. */
const TAG = /^chat-(.+)$/;

async function closeNotificationsOf(isOver: (peer: string) => boolean): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration('/');
  for (const notification of (await registration?.getNotifications()) ?? []) {
    const [, peer] = TAG.exec(notification.tag) ?? [];
    if (peer !== undefined && isOver(peer)) notification.close();
  }
}
