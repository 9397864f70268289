import { ask, readCompared, type ToWorker } from '../worker/messages.ts';

/** A worker that was installed on a busy machine may take seconds; without its answer the user is asked about what they see already. */
const ANSWER_MS = 10_000;
/** A worker that cannot take over yet is looked at again after the first pause, then after twice as long each time. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [1_000, 60_000];
/** Up to this pause a worker that does not answer may still be busy. */
const BUSY_PAUSE_MS = 4_000;
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

  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The user was asked about it. */
  let offered: ServiceWorker | undefined;

  /**
   * The user is asked only if the page is not of the new version yet: it may have come from the network before its worker. That takes over
   * when it is installed and no other page is open; after a reload the document before may still count for a moment.
   */
  async function look(registration: ServiceWorkerRegistration, pauseMs = FIRST_PAUSE_MS): Promise<void> {
    clearTimeout(timer);
    const { active, installing, waiting } = registration;
    if (!active || !(installing ?? waiting)) return;
    const answer = waiting && (await ask(waiting, { doorman: 'compare', files: filesOfPage() }, ANSWER_MS));
    if (waiting && waiting === offered) return;
    const { same, alone } = readCompared(answer);
    const takeOver = () => waiting?.postMessage({ doorman: 'take-over' } satisfies ToWorker);
    const isBusy = answer === undefined && pauseMs <= BUSY_PAUSE_MS;
    if (waiting && !same && !isBusy) {
      offered = waiting;
      onUpdate(() => {
        reloads = true;
        takeOver();
      });
      return;
    }
    if (same && alone) {
      reloads = false;
      takeOver();
    }
    clearTimeout(timer);
    const next = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    timer = setTimeout(() => void look(registration, next), pauseMs);
  }

  return (registration) => {
    void look(registration);
    registration.addEventListener('updatefound', () => {
      registration.installing?.addEventListener('statechange', () => void look(registration));
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
