import type { KitStorage, StorageChange } from 'doorman-client';
import { emojiKey, keyPrefix, pack, unpack } from '../data/persisted-shapes.ts';
import type { PersistedDraft, PersistedThread } from '../features/chat/model/persisted-shapes.ts';
import type { PersistedName } from '../features/contacts/model/name-cache.ts';
import { PERSISTED_SHAPES, type PersistedList, type PersistenceSources } from './persisted-state.ts';

const PREFIX = 'page:';
const DRAFT = /^page:[^:]+:draft:/;
/** From a change to its write, which writes all other changes too. */
const WRITE_AFTER_MS = 1_000;
/** The same for drafts, sooner: a write that begins while the page closes is often not finished. */
const WRITE_DRAFTS_AFTER_MS = 100;
const MAX_THREADS = 30;

/** Everything that is stored for one user. */
interface Persisted {
  readonly list: PersistedList | undefined;
  readonly names: readonly PersistedName[];
  readonly drafts: readonly PersistedDraft[];
  readonly threads: readonly PersistedThread[];
}

type Part = 'list' | 'names';

/**
 * Stores on this device what was loaded, so that it can be shown without a connection: for each user under keys of their
 * own, bounded, and removed when they sign out. The storage is the kit's, which also works where the device's own fails.
 */
export class Persistence {
  readonly #storage: KitStorage;
  readonly #sources: PersistenceSources;
  #userId: string | undefined;
  readonly #changedParts = new Set<Part>();
  readonly #changedThreads = new Set<string>();
  readonly #changedDrafts = new Set<string>();
  /** Peers of the stored threads, the one stored last at the end. */
  #storedThreads: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When the timer ends, by `performance.now`. */
  #writesAt = 0;
  /** Writes run one after the other, so that what was wiped is not written again. */
  #lastWrite: Promise<void> = Promise.resolve();

  constructor(storage: KitStorage, sources: PersistenceSources) {
    this.#storage = storage;
    this.#sources = sources;
  }

  /** Reads what is stored for this user, and removes everything else: of other users, of other versions, or damaged. */
  async open(userId: string): Promise<Persisted> {
    this.#stop();
    const own = keyPrefix(userId);
    let list: PersistedList | undefined;
    let names: readonly PersistedName[] = [];
    const drafts: PersistedDraft[] = [];
    const threads: PersistedThread[] = [];
    const unusable: string[] = [];
    for (const [key, packed] of await this.#storage.all(PREFIX)) {
      const part = key.startsWith(own) ? key.slice(own.length) : undefined;
      const storedList = part === 'list' && unpack(packed, userId, PERSISTED_SHAPES.list);
      const storedNames = part === 'names' && unpack(packed, userId, PERSISTED_SHAPES.names);
      const draft = part?.startsWith('draft:') && unpack(packed, userId, PERSISTED_SHAPES.draft);
      const thread = part?.startsWith('thread:') && unpack(packed, userId, PERSISTED_SHAPES.thread);
      if (storedList) list = storedList;
      else if (storedNames) names = storedNames;
      else if (draft && part === draftPart(draft.peer)) drafts.push(draft);
      else if (thread && part === threadPart(thread.peer)) threads.push(thread);
      else if (key !== emojiKey(userId)) unusable.push(key);
    }
    threads.sort((one, other) => one.at - other.at);
    this.#userId = userId;
    this.#storedThreads = threads.map(({ peer }) => peer);
    void this.#afterLastWrite(() => this.#delete(unusable));
    return { list, names, drafts, threads };
  }

  /** It changed: it is written soon. */
  markChanged(part: Part): void {
    this.#changedParts.add(part);
    this.#writeSoon(WRITE_AFTER_MS);
  }

  markThreadChanged(peer: string): void {
    this.#changedThreads.add(peer);
    this.#writeSoon(WRITE_AFTER_MS);
  }

  markDraftChanged(peer: string): void {
    this.#changedDrafts.add(peer);
    this.#writeSoon(WRITE_DRAFTS_AFTER_MS);
  }

  /** Where the draft to a user is stored, for who removes it; `undefined` before `open`. */
  draftKey(peer: string): string | undefined {
    return this.#userId === undefined ? undefined : keyPrefix(this.#userId) + draftPart(peer);
  }

  /** Writes all changes now. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const userId = this.#userId;
    if (userId === undefined) return this.#lastWrite;
    const entries = this.#takeChanges();
    return this.#afterLastWrite(async () => {
      const changes = entries
        .filter(([part]) => !this.#isOutdated(part))
        .map(([part, value]): StorageChange => [keyPrefix(userId) + part, value && pack(userId, value)]);
      if (changes.length > 0) await this.#storage.write(changes);
    });
  }

  /** Removes what is stored for any user; drafts stay where their user is expected to sign in again. */
  wipe({ exceptDrafts }: { exceptDrafts: boolean }): Promise<void> {
    this.#stop();
    return this.#afterLastWrite(async () => {
      const keys = (await this.#storage.all(PREFIX)).map(([key]) => key);
      await this.#delete(keys.filter((key) => !exceptDrafts || !DRAFT.test(key)));
    });
  }

  /** A draft changed while its write waited: the message that it became may have removed it from the storage. */
  #isOutdated(part: string): boolean {
    return [...this.#changedDrafts].some((peer) => part === draftPart(peer));
  }

  /** Changes are ignored until `open`. */
  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#userId = undefined;
    this.#changedParts.clear();
    this.#changedThreads.clear();
    this.#changedDrafts.clear();
    this.#storedThreads = [];
  }

  /** What changed since the last call; an undefined value is to be removed. */
  #takeChanges(): [part: string, value: object | undefined][] {
    const { list, names, thread, draft } = this.#sources;
    const read = { list, names };
    const entries: [string, object | undefined][] = [...this.#changedParts].flatMap((part) => {
      const value = read[part]();
      return value ? [[part, value]] : [];
    });
    for (const peer of this.#changedThreads) {
      const value = thread(peer);
      this.#storedThreads = this.#storedThreads.filter((one) => one !== peer);
      if (value) this.#storedThreads.push(peer);
      entries.push([threadPart(peer), value]);
    }
    for (const peer of this.#storedThreads.splice(0, this.#storedThreads.length - MAX_THREADS))
      entries.push([threadPart(peer), undefined]);
    for (const peer of this.#changedDrafts) entries.push([draftPart(peer), draft(peer)]);
    this.#changedParts.clear();
    this.#changedThreads.clear();
    this.#changedDrafts.clear();
    return entries;
  }

  #writeSoon(ms: number): void {
    if (this.#userId === undefined) return;
    const at = performance.now() + ms;
    if (this.#timer !== undefined && this.#writesAt <= at) return;
    clearTimeout(this.#timer);
    this.#writesAt = at;
    this.#timer = setTimeout(() => this.flush(), ms);
  }

  async #delete(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#storage.delete(key);
  }

  #afterLastWrite(write: () => Promise<void>): Promise<void> {
    this.#lastWrite = this.#lastWrite.then(write);
    return this.#lastWrite;
  }
}

function threadPart(peer: string): string {
  return `thread:${peer}`;
}

function draftPart(peer: string): string {
  return `draft:${peer}`;
}
