import { ask, readCompared, type ToWorker } from '../worker/messages.ts';

/** A worker that was installed on a busy machine may take seconds; without its answer the user is asked about what they see already. */
const ANSWER_MS = 10_000;
/** Other pages are looked for again after the first pause, then after twice as long each time. After a reload the document before may still count. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [1_000, 60_000];
const CHECK_AFTER_MS = 60 * 60 * 1000;

/**
 * Reports new versions, and reloads the page when one takes over. To be called before the worker is registered: the very
 * first worker takes over at once, and must not reload.
 *
 * @returns takes the registration
 */
export function watchForUpdates(
  serviceWorker: ServiceWorkerContainer,
  onUpdate: (accept: () => void) => void,
): (registration: ServiceWorkerRegistration) => void {
  let reloads = serviceWorker.controller !== null;
  serviceWorker.addEventListener('controllerchange', () => {
    if (reloads) location.reload();
    // A reload happens once; the worker after one that did not reload does.
    reloads = !reloads;
  });

  /** The user is asked only if the page is not of the new version yet: it may have come from the network before its worker. */
  async function offer(registration: ServiceWorkerRegistration, pauseMs = FIRST_PAUSE_MS): Promise<void> {
    const { active, waiting } = registration;
    if (!active || !waiting) return;
    const takeOver = () => waiting.postMessage({ doorman: 'take-over' } satisfies ToWorker);
    const { same, alone } = readCompared(
      await ask(waiting, { doorman: 'compare', files: filesOfPage() }, ANSWER_MS),
    );
    if (!same)
      onUpdate(() => {
        reloads = true;
        takeOver();
      });
    else if (alone) {
      reloads = false;
      takeOver();
    } else setTimeout(() => void offer(registration, Math.min(2 * pauseMs, LONGEST_PAUSE_MS)), pauseMs);
  }

  return (registration) => {
    void offer(registration);
    registration.addEventListener('updatefound', () => {
      registration.installing?.addEventListener('statechange', ({ target }) => {
        if (target === registration.waiting) void offer(registration);
      });
    });
    checkOnReturn(registration);
  };
}

function filesOfPage(): string[] {
  return ['src', 'href', 'data-file'].flatMap((name) =>
    [...document.querySelectorAll(`[${name}^="/assets/"]`)].map(
      (element) => element.getAttribute(name) ?? '',
    ),
  );
}

/** Browsers check for a new worker when a page loads, but a chat stays open for weeks. */
function checkOnReturn(registration: ServiceWorkerRegistration): void {
  let checkedAt = Date.now();
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'visible' || Date.now() - checkedAt < CHECK_AFTER_MS) return;
    checkedAt = Date.now();
    registration.update().catch(() => undefined); // without a network there is nothing new
  });
}
