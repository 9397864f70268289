import type { Socket } from '../connection/socket.ts';
import { DoormanError } from '../errors.ts';

const RETRY_MS = 5_000;

/** How far the user has read: sends the greatest number of each conversation as soon as possible. */
export class ReadMarks {
  readonly #live: () => Socket | undefined;
  #pending = new Map<string, number>();
  #sent = new Map<string, number>();
  #inFlight = new Set<string>();

  constructor(live: () => Socket | undefined) {
    this.#live = live;
  }

  /** Another user. */
  reset(): void {
    this.#pending = new Map();
    this.#sent = new Map();
    this.#inFlight = new Set();
  }

  mark(peer: string, n: number): void {
    if (n <= (this.#sent.get(peer) ?? 0) || n <= (this.#pending.get(peer) ?? 0)) return;
    this.#pending.set(peer, n);
    this.send();
  }

  /** The user marked the conversation as unread: a mark of the same number ends that. */
  onMarkedUnread(peer: string): void {
    this.#sent.delete(peer);
  }

  /** Sends the pending marks, if the connection is live. */
  send(): void {
    const socket = this.#live();
    if (!socket) return;
    for (const [peer, n] of this.#pending) if (!this.#inFlight.has(peer)) void this.#sendOne(socket, peer, n);
  }

  async #sendOne(socket: Socket, peer: string, n: number): Promise<void> {
    const [pending, sent, inFlight] = [this.#pending, this.#sent, this.#inFlight];
    inFlight.add(peer);
    try {
      await socket.request({ type: 'mark', peer, read: n });
      sent.set(peer, n);
    } catch (error) {
      if (!(error instanceof DoormanError)) throw error;
      // A broken connection: again on the next one. A fault or limit of the service: again after a wait. Else: dropped.
      if (error.code >= 429) setTimeout(() => this.send(), RETRY_MS);
      if (error.code !== 400 && error.code !== 403 && error.code !== 404) return;
    } finally {
      inFlight.delete(peer);
    }
    if (pending.get(peer) === n) pending.delete(peer);
    if (pending === this.#pending) this.send();
  }
}
