import { Thread, type ThreadOptions } from './thread.ts';

/** Closed threads that keep more than their last page in memory. */
const WHOLE_THREADS = 5;

/** The threads that were opened or read, by peer. */
export class Threads {
  readonly #options: Omit<ThreadOptions, 'closed'>;
  readonly #all = new Map<string, Thread>();
  /** Peers of the threads closed last, the latest at the end. */
  #recent: string[] = [];

  constructor(options: Omit<ThreadOptions, 'closed'>) {
    this.#options = options;
  }

  of(peer: string): Thread {
    const known = this.#all.get(peer);
    if (known) return known;
    const thread = new Thread(peer, { ...this.#options, closed: (of) => this.#closed(of) });
    this.#all.set(peer, thread);
    return thread;
  }

  find(peer: string): Thread | undefined {
    return this.#all.get(peer);
  }

  all(): Iterable<Thread> {
    return this.#all.values();
  }

  clear(): void {
    this.#recent = [];
    for (const thread of this.#all.values()) thread.clear();
  }

  #closed(peer: string): void {
    this.#recent = [...this.#recent.filter((one) => one !== peer), peer];
    while (this.#recent.length > WHOLE_THREADS) {
      const thread = this.#all.get(this.#recent.shift() ?? '');
      if (thread && !thread.isOpen) thread.trim();
    }
  }
}
