import { type Doorman, trackActivity } from 'doorman-client';

/** The browser around the page, as far as its state has to do with it. */
export interface Surroundings {
  /** Somebody is before the page: it is visible, and was used within the last minute, just as the service counts it. */
  isAttended(): boolean;
  /** Told when somebody is before the page, or no longer. @returns ends it */
  onAttention(listener: (isAttended: boolean) => void): () => void;
  /** Told when the page becomes hidden; to be closed is to be hidden. @returns ends it */
  onHidden(listener: () => void): () => void;
  /** Tells the service whether somebody is before the page. @returns ends it */
  followView(doorman: Pick<Doorman, 'setView' | 'reconnectNow'>): () => void;
  /** The number on the app's icon; 0 takes it away. */
  setBadge(count: number): void;
  /** Takes the notifications of those conversations off the screen that are over. */
  closeNotifications(isOver: (peer: string) => boolean): void;
}

export function browserSurroundings(): Surroundings {
  let isAttended = false;
  const listeners = new Set<(isAttended: boolean) => void>();
  return {
    isAttended: () => isAttended,
    onAttention(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onHidden(listener) {
      const ending = new AbortController();
      const { signal } = ending;
      const look = () => document.visibilityState === 'hidden' && listener();
      document.addEventListener('visibilitychange', look, { signal });
      window.addEventListener('pagehide', listener, { signal });
      return () => ending.abort();
    },
    followView(doorman) {
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
      // Where the page is not installed, or the browser has no badges, it is no loss.
      if (count > 0 && 'setAppBadge' in navigator) navigator.setAppBadge(count).catch(() => {});
      else if ('clearAppBadge' in navigator) navigator.clearAppBadge().catch(() => {});
    },
    closeNotifications: (isOver) => void closeWhere(isOver),
  };
}

/** Where there is no browser: somebody looks at it, and nothing is shown. */
export function noSurroundings(): Surroundings {
  return {
    isAttended: () => true,
    onAttention: () => () => {},
    onHidden: () => () => {},
    followView: () => () => {},
    setBadge: () => {},
    closeNotifications: () => {},
  };
}

/** As the service tags the notifications of a conversation. */
const TAG = /^chat-(.+)$/;

async function closeWhere(isOver: (peer: string) => boolean): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration('/');
  for (const notification of (await registration?.getNotifications()) ?? []) {
    const [, peer] = TAG.exec(notification.tag) ?? [];
    if (peer !== undefined && isOver(peer)) notification.close();
  }
}
