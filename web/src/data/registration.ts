import { DoormanError, type Registration, type ServiceOptions } from 'doorman-client';
import { readStored, writeStored } from '../stored.ts';
import { Store } from './store.ts';

/** The last answer of the service is stored, so that the next start shows the right form at once, also without a network. */
const KEY = 'doorman.registration';
const MAIL_KEY = 'doorman.mail';
const PICTURES_KEY = 'doorman.pictures';
/** For so long an answer is taken as fresh. */
const FRESH_MS = 10_000;

type Answer = Pick<ServiceOptions, 'registration' | 'mail' | 'pictures'>;

/** Who may create an account, as far as the page knows; `undefined` until the service has answered for the first time. */
export class RegistrationStore extends Store<Registration | undefined> {
  /** Whether the service sends mail, so that a forgotten password can be set anew; asked and stored likewise. */
  readonly mail = new Store<boolean | undefined>(readLastFlag(MAIL_KEY));
  /** Whether messages may have pictures; likewise. */
  readonly pictures = new Store<boolean | undefined>(readLastFlag(PICTURES_KEY));
  readonly #fetch: () => Promise<Answer>;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;

  constructor(fetch: () => Promise<Answer>) {
    super(readLast());
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
      const { registration, mail, pictures } = await this.#fetch();
      this.#learn(registration);
      this.mail.set(mail);
      writeStored(MAIL_KEY, mail ? 'on' : 'off');
      this.pictures.set(pictures);
      writeStored(PICTURES_KEY, pictures ? 'on' : 'off');
    } catch (error) {
      if (!(error instanceof DoormanError)) throw error;
      // The form as most services have it: it can be filled in, and a refusal of the service corrects it.
      if (this.getSnapshot() === undefined) this.set('open');
    }
  }

  #learn(registration: Registration): void {
    this.#answeredAt = performance.now();
    this.set(registration);
    writeStored(KEY, registration);
  }
}

function readLast(): Registration | undefined {
  const stored = readStored(KEY);
  return stored === 'open' || stored === 'invite' || stored === 'closed' ? stored : undefined;
}

function readLastFlag(key: string): boolean | undefined {
  const stored = readStored(key);
  return stored === null ? undefined : stored === 'on';
}
