import { DoormanError } from '../errors.ts';
import type { Api } from '../http/api.ts';
import type { MessageEntry } from './outbox-entries.ts';
import type { OutboxState } from './outbox-state.ts';
import { pictureUnknown } from './own-refusals.ts';

/** Uploads the pictures of messages, one at a time. */
export class PictureUploads {
  readonly #state: OutboxState;
  readonly #api: Pick<Api, 'uploadPicture' | 'uploadPreview'>;

  constructor(state: OutboxState, api: Pick<Api, 'uploadPicture' | 'uploadPreview'>) {
    this.#state = state;
    this.#api = api;
  }

  /**
   * Gives the picture of a message its id, which is on the device before the message can be sent: so each time it is sent with the same.
   * Other tabs wait meanwhile, and find the id.
   *
   * @throws {DoormanError}
   */
  run(entry: MessageEntry): Promise<void> {
    const state = this.#state;
    return state.oneAtATime(async () => {
      const stored = await state.read(entry);
      // Another tab has sent it, and what it says of that is on the way; or the browser has removed what it kept.
      if (!stored && !entry.picture) throw entry.failedUploads === 0 ? notYet() : pictureUnknown();
      const id = entry.outgoing.picture?.id ?? stored?.picture?.id ?? (await this.#upload(entry));
      const { picture } = entry.outgoing;
      if (!state.entries.has(entry) || !picture) return;
      entry.outgoing = { ...entry.outgoing, picture: { ...picture, id }, state: 'waiting' };
      state.announce(entry);
      await state.save(entry);
    });
  }

  async #upload(entry: MessageEntry): Promise<string> {
    const state = this.#state;
    const picture = await state.pictureOf(entry);
    // Another user may have signed in meanwhile.
    if (!state.entries.has(entry) || !picture) throw pictureUnknown();
    const { id } = await this.#api.uploadPicture(picture.blob);
    entry.uploads++;
    entry.failedUploads = 0;
    // Without it the picture itself is shown.
    if (picture.preview && state.entries.has(entry))
      await this.#api.uploadPreview(id, picture.preview).catch(ignoreRefusal);
    return id;
  }
}

function notYet(): DoormanError {
  return new DoormanError(0, 'unreachable', 'The message is not on this device now');
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof DoormanError)) throw error;
}
