import { ask, readCompared, type ToWorker } from '../worker/messages.ts';

const ANSWER_MS = 2_000;
const LOOK_AGAIN_MS = 60 * 60 * 1000;

/**
 * Tells of new versions, and reloads the page once when one takes over. To be called before the worker is registered, as
 * the first one of all takes over at once; that one reloads nothing.
 *
 * @returns to be given the registration
 */
export function watchForUpdates(
  serviceWorker: ServiceWorkerContainer,
  onUpdate: (accept: () => void) => void,
): (registration: ServiceWorkerRegistration) => void {
  let reloads = serviceWorker.controller !== null;
  serviceWorker.addEventListener('controllerchange', () => {
    if (reloads) location.reload();
    // Not twice; and the worker after one that reloaded nothing does.
    reloads = !reloads;
  });

  /** The page of a new version comes from the network before its worker: who has it already is asked nothing. */
  async function tellOf({ active, waiting }: ServiceWorkerRegistration): Promise<void> {
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
    }
  }

  return (registration) => {
    void tellOf(registration);
    registration.addEventListener('updatefound', () => {
      registration.installing?.addEventListener('statechange', ({ target }) => {
        if (target === registration.waiting) void tellOf(registration);
      });
    });
    lookNowAndThen(registration);
  };
}

function filesOfPage(): string[] {
  const named = document.querySelectorAll('[src^="/assets/"], [href^="/assets/"]');
  return [...named].flatMap((element) => element.getAttribute('src') ?? element.getAttribute('href') ?? []);
}

/** Browsers look for a new worker when a page loads; a chat stays open for weeks. */
function lookNowAndThen(registration: ServiceWorkerRegistration): void {
  let lookedAt = Date.now();
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'visible' || Date.now() - lookedAt < LOOK_AGAIN_MS) return;
    lookedAt = Date.now();
    registration.update().catch(() => undefined); // without a network there is nothing new
  });
}
