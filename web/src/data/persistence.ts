import type { DoormanStorage } from 'doorman-client';
import { isKeptDraft, type KeptDraft, type Shape, seal, unseal } from './persisted-shapes.ts';

const PREFIX = 'page:';
const DRAFT = /^page:[^:]+:draft:/;
/** After a change it is written so much later, with all that changed meanwhile. */
const WRITE_AFTER_MS = 1_000;
/** What a person writes. No sooner than this it is safe: what is begun while a page closes is often not finished. */
const WRITE_DRAFTS_AFTER_MS = 100;
const MAX_THREADS = 30;

/** The types of what a page keeps, besides drafts. */
interface Types {
  readonly list: object;
  readonly name: object;
  /** `at`: when it was kept, epoch milliseconds. */
  readonly thread: { readonly peer: string; readonly at: number };
}

/** All that was kept of one user. */
export interface Kept<T extends Types> {
  readonly list: T['list'] | undefined;
  readonly names: readonly T['name'][];
  readonly drafts: readonly KeptDraft[];
  readonly threads: readonly T['thread'][];
}

/** What there is to keep now; absent: nothing yet. */
export interface KeptSources<T extends Types> {
  list(): T['list'] | undefined;
  names(): readonly T['name'][];
  thread(peer: string): T['thread'] | undefined;
  draft(peer: string): KeptDraft | undefined;
}

/** Check what is read from the storage. */
export interface KeptShapes<T extends Types> {
  readonly list: Shape<T['list']>;
  readonly names: Shape<readonly T['name'][]>;
  readonly thread: Shape<T['thread']>;
}

type Part = 'list' | 'names';

/**
 * Keeps on this device what was loaded, so that it can be read without a connection: each user's under their own keys,
 * bounded, and gone when they sign out. The storage is the kit's, which answers also where the device's own fails.
 */
export class Keeping<T extends Types> {
  readonly #storage: DoormanStorage;
  readonly #sources: KeptSources<T>;
  readonly #shapes: KeptShapes<T>;
  #userId: string | undefined;
  readonly #parts = new Set<Part>();
  readonly #threads = new Set<string>();
  readonly #drafts = new Set<string>();
  /** Peers of the kept threads, the latest at the end. */
  #keptThreads: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When the timer ends, as `performance.now` has it. */
  #writesAt = 0;
  /** One after the other, so that what is wiped is not written again. */
  #turn: Promise<void> = Promise.resolve();

  constructor(storage: DoormanStorage, sources: KeptSources<T>, shapes: KeptShapes<T>) {
    this.#storage = storage;
    this.#sources = sources;
    this.#shapes = shapes;
  }

  /** Reads what was kept of this user, and removes what is nobody's, another's, or of no use. */
  async open(userId: string): Promise<Kept<T>> {
    this.#stop();
    const own = `${PREFIX}${userId}:`;
    const kept: {
      list?: T['list'];
      names: readonly T['name'][];
      drafts: KeptDraft[];
      threads: T['thread'][];
    } = {
      names: [],
      drafts: [],
      threads: [],
    };
    const useless: string[] = [];
    for (const [key, sealed] of await this.#storage.all(PREFIX)) {
      const part = key.startsWith(own) ? key.slice(own.length) : undefined;
      const list = part === 'list' && unseal(sealed, userId, this.#shapes.list);
      const names = part === 'names' && unseal(sealed, userId, this.#shapes.names);
      const draft = part?.startsWith('draft:') && unseal(sealed, userId, isKeptDraft);
      const thread = part?.startsWith('thread:') && unseal(sealed, userId, this.#shapes.thread);
      if (list) kept.list = list;
      else if (names) kept.names = names;
      else if (draft && part === draftPart(draft.peer)) kept.drafts.push(draft);
      else if (thread && part === threadPart(thread.peer)) kept.threads.push(thread);
      else useless.push(key);
    }
    kept.threads.sort((one, other) => one.at - other.at);
    this.#userId = userId;
    this.#keptThreads = kept.threads.map(({ peer }) => peer);
    void this.#inTurn(() => this.#delete(useless));
    return { ...kept, list: kept.list };
  }

  /** It changed, and is written soon. */
  note(part: Part): void {
    this.#parts.add(part);
    this.#writeSoon(WRITE_AFTER_MS);
  }

  noteThread(peer: string): void {
    this.#threads.add(peer);
    this.#writeSoon(WRITE_AFTER_MS);
  }

  noteDraft(peer: string): void {
    this.#drafts.add(peer);
    this.#writeSoon(WRITE_DRAFTS_AFTER_MS);
  }

  /** Writes now what is not written yet. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const userId = this.#userId;
    if (userId === undefined) return this.#turn;
    const entries = this.#collect();
    return this.#inTurn(async () => {
      for (const [part, value] of entries) {
        const key = `${PREFIX}${userId}:${part}`;
        await (value ? this.#storage.set(key, seal(userId, value)) : this.#storage.delete(key));
      }
    });
  }

  /** Nothing of anybody stays here, but for drafts where their writer is awaited back. */
  wipe({ exceptDrafts }: { exceptDrafts: boolean }): Promise<void> {
    this.#stop();
    return this.#inTurn(async () => {
      const keys = (await this.#storage.all(PREFIX)).map(([key]) => key);
      await this.#delete(keys.filter((key) => !exceptDrafts || !DRAFT.test(key)));
    });
  }

  /** What changes from now on is nobody's. */
  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#userId = undefined;
    this.#parts.clear();
    this.#threads.clear();
    this.#drafts.clear();
    this.#keptThreads = [];
  }

  /** What changed since the last time, by part; absent is to be removed. */
  #collect(): [part: string, value: object | undefined][] {
    const { list, names, thread, draft } = this.#sources;
    const read = { list, names };
    const entries: [string, object | undefined][] = [...this.#parts].flatMap((part) => {
      const value = read[part]();
      return value ? [[part, value]] : [];
    });
    for (const peer of this.#threads) {
      const value = thread(peer);
      this.#keptThreads = this.#keptThreads.filter((one) => one !== peer);
      if (value) this.#keptThreads.push(peer);
      entries.push([threadPart(peer), value]);
    }
    for (const peer of this.#keptThreads.splice(0, this.#keptThreads.length - MAX_THREADS))
      entries.push([threadPart(peer), undefined]);
    for (const peer of this.#drafts) entries.push([draftPart(peer), draft(peer)]);
    this.#parts.clear();
    this.#threads.clear();
    this.#drafts.clear();
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

  #inTurn(act: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(act);
    return this.#turn;
  }
}

function threadPart(peer: string): string {
  return `thread:${peer}`;
}

function draftPart(peer: string): string {
  return `draft:${peer}`;
}
