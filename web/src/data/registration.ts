import { DoormanError, type Registration, type ServiceOptions } from 'doorman-client';
import { Store } from './store.ts';

/** The last answer of the service is stored, so that the next start shows the right form at once, also without a network. */
const KEY = 'doorman.registration';
/** For so long an answer is taken as fresh. */
const FRESH_MS = 10_000;

/** Who may create an account, as far as the page knows; `undefined` until the service has answered for the first time. */
export class RegistrationStore extends Store<Registration | undefined> {
  readonly #fetch: () => Promise<Pick<ServiceOptions, 'registration'>>;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;

  constructor(fetch: () => Promise<Pick<ServiceOptions, 'registration'>>) {
    super(readStored());
    this.#fetch = fetch;
  }

  /** Asks the service, unless it has answered just now. @returns ends when the value is known, or assumed without an answer */
  ask(): Promise<void> {
    if (performance.now() - this.#answeredAt < FRESH_MS) return Promise.resolve();
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** Takes what the refusal of a registration says: since the page asked, the operator has changed who may register. */
  onRefused(error: unknown): void {
    if (!(error instanceof DoormanError)) return;
    if (error.error === 'registration_closed') this.#learn('closed');
    if (error.error === 'invite_required') this.#learn('invite');
  }

  async #ask(): Promise<void> {
    try {
      this.#learn((await this.#fetch()).registration);
    } catch (error) {
      if (!(error instanceof DoormanError)) throw error;
      // The form as most services have it: it can be filled in, and a refusal of the service corrects it.
      if (this.getSnapshot() === undefined) this.set('open');
    }
  }

  #learn(registration: Registration): void {
    this.#answeredAt = performance.now();
    this.set(registration);
    try {
      localStorage.setItem(KEY, registration);
    } catch {
      // Storage is not available, or full: the next start asks first.
    }
  }
}

function readStored(): Registration | undefined {
  try {
    const stored = localStorage.getItem(KEY);
    if (stored === 'open' || stored === 'invite' || stored === 'closed') return stored;
  } catch {
    // Storage is not available.
  }
  return undefined;
}
