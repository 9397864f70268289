import { KeyCounts } from '../collections/key-counts.ts';

/** How many open sockets each session has. The sockets of this process write it, the list of sessions reads it. */
export class OpenSockets {
  readonly #counts = new KeyCounts();
  #findElsewhere: (userId: string) => Promise<ReadonlySet<string>> = async () => new Set();

  add(sessionId: string, change: 1 | -1): void {
    this.#counts.add(sessionId, change);
  }

  /** @returns whether a session of the user has an open socket on any node */
  async askFor(userId: string): Promise<(sessionId: string) => boolean> {
    const elsewhere = await this.#findElsewhere(userId);
    return (sessionId) => this.#counts.get(sessionId) > 0 || elsewhere.has(sessionId);
  }

  /** @param findElsewhere finds the sessions of the user that have an open socket on other nodes */
  askElsewhere(findElsewhere: (userId: string) => Promise<ReadonlySet<string>>): void {
    this.#findElsewhere = findElsewhere;
  }
}
