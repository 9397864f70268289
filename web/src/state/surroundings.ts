import type { Doorman } from '../../../client/src/doorman.ts';
import { followView } from '../../../client/src/follow-view.ts';

/** The browser around the page, as far as its state has to do with it. */
export interface Surroundings {
  isVisible(): boolean;
  /** Told when the page becomes visible or hidden; to be closed is to be hidden. @returns ends it */
  onVisibility(listener: (isVisible: boolean) => void): () => void;
  /** Tells the service whether somebody is before the page. @returns ends it */
  followView(doorman: Doorman): () => void;
  /** The number on the app's icon; 0 takes it away. */
  setBadge(count: number): void;
  /** Takes the notifications of those conversations off the screen that are over. */
  closeNotifications(isOver: (peer: string) => boolean): void;
}

export function browserSurroundings(): Surroundings {
  return {
    isVisible: () => document.visibilityState === 'visible',
    onVisibility(listener) {
      const ending = new AbortController();
      const { signal } = ending;
      const tell = () => listener(document.visibilityState === 'visible');
      document.addEventListener('visibilitychange', tell, { signal });
      window.addEventListener('pagehide', () => listener(false), { signal });
      // It is taken up as it was left.
      window.addEventListener('pageshow', tell, { signal });
      return () => ending.abort();
    },
    followView: (doorman) => followView(doorman, document),
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
    isVisible: () => true,
    onVisibility: () => () => {},
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
