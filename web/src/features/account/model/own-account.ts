import type {
  AccountEvent,
  Doorman,
  OwnUser,
  ProfileBody,
  SettingsBody,
  SettingsEvent,
} from 'doorman-client';
import { isSame } from '../../../data/keyed-store.ts';
import type { RequestQueue } from '../../../data/request-queue.ts';
import { SerialQueue } from '../../../data/serial-queue.ts';
import { Store } from '../../../data/store.ts';
import type { SettingsView } from './views.ts';

interface OwnAccountOptions {
  readonly doorman: Doorman;
  readonly queue: RequestQueue;
  persistList(): void;
}

/** The user's own profile and settings, as they are on all of their devices. */
export class OwnAccount {
  readonly profile = new Store<OwnUser | undefined>(undefined);
  readonly settings = new Store<SettingsView | undefined>(undefined);
  /** The latest new sign-in, until the user has seen it. */
  readonly newSignIn = new Store<AccountEvent | undefined>(undefined);
  readonly #options: OwnAccountOptions;
  /** The settings that the service confirmed last. */
  #known: SettingsView | undefined;
  /** Changes that the service has not answered yet, the oldest first. */
  readonly #pending = new Set<Partial<SettingsView>>();
  readonly #serial = new SerialQueue();

  constructor(options: OwnAccountOptions) {
    this.#options = options;
  }

  updateProfile(body: ProfileBody): Promise<void> {
    return this.#changeProfile((api) => api.updateProfile(body));
  }

  /** @param picture a square within what the service takes */
  uploadAvatar(picture: Blob): Promise<void> {
    return this.#changeProfile((api) => api.uploadAvatar(picture));
  }

  async #changeProfile(change: (api: Doorman['api']) => Promise<OwnUser>): Promise<void> {
    const { doorman, queue } = this.#options;
    await this.#serial.run('profile', async () => {
      const before = this.profile.getSnapshot();
      const answer = await queue.runNow(() => change(doorman.api));
      // A profile that an event has brought since then includes this change, or is newer.
      if (this.profile.getSnapshot() === before) this.onProfile(answer);
    });
  }

  /** The change is shown at once, and undone if the service refuses it. */
  async updateSettings(change: Partial<SettingsView>): Promise<void> {
    const { doorman, queue } = this.#options;
    const own = { ...change };
    this.#pending.add(own);
    this.#show();
    await this.#serial.run('settings', async () => {
      const before = this.#known;
      try {
        await queue.runNow(() => doorman.api.updateSettings(own satisfies SettingsBody));
        if (before && this.#known === before) this.#known = { ...before, ...own };
      } finally {
        this.#pending.delete(own);
        this.#show();
      }
    });
  }

  onProfile(profile: OwnUser): void {
    if (isSame(profile, this.profile.getSnapshot())) return;
    this.profile.set(profile);
    this.#options.persistList();
  }

  onSettings({ push_enabled, dnd_enabled, push_preview }: Omit<SettingsEvent, 'seq'>): void {
    this.#known = {
      pushEnabled: push_enabled === 1,
      dndEnabled: dnd_enabled === 1,
      pushPreview: toPreview(push_preview),
    };
    this.#show();
    this.#options.persistList();
  }

  restore(profile: OwnUser, settings: SettingsView): void {
    this.profile.set(profile);
    this.#known = settings;
    this.#show();
  }

  toPersisted(): { profile: OwnUser; settings: SettingsView } | undefined {
    const profile = this.profile.getSnapshot();
    return profile && this.#known && { profile, settings: this.#known };
  }

  clear(): void {
    this.profile.set(undefined);
    this.newSignIn.set(undefined);
    this.#known = undefined;
    this.#pending.clear();
    this.#show();
  }

  #show(): void {
    const shown = this.#known && Object.assign({ ...this.#known }, ...this.#pending);
    if (!isSame(shown, this.settings.getSnapshot())) this.settings.set(shown);
  }
}

function toPreview(word: string): SettingsView['pushPreview'] {
  return word === 'full' || word === 'none' ? word : 'sender';
}
