import type { Socket } from '../connection/socket.ts';
import type { Emitter } from '../emitter.ts';
import { DoormanError } from '../errors.ts';
import type { DoormanEvents, MessageChange, OwnMessage } from '../events.ts';

type Change = Pick<MessageChange, 'peer' | 'kind' | 'body' | 'emoji'>;

/** Changes of messages, sent over the connection. */
export class Changes {
  readonly #emitter: Emitter<DoormanEvents>;
  readonly #live: () => Socket | undefined;
  #waiting: MessageChange[] = [];

  constructor(emitter: Emitter<DoormanEvents>, live: () => Socket | undefined) {
    this.#emitter = emitter;
    this.#live = live;
  }

  all(): MessageChange[] {
    return [...this.#waiting];
  }

  /** Another user. */
  reset(): void {
    this.#waiting = [];
  }

  make(change: Change, message: OwnMessage): void {
    const name = typeof message === 'number' ? { n: message } : { cid: message.cid };
    const waiting: MessageChange = { ...change, ...name, writtenAt: Date.now(), state: 'waiting' };
    this.#waiting.push(waiting);
    this.#emitter.emit('change', waiting);
    this.send();
  }

  send(): void {
    const socket = this.#live();
    if (!socket) return;
    for (const one of this.#waiting) void this.#sendOne(socket, one);
  }

  async #sendOne(socket: Socket, one: MessageChange): Promise<void> {
    const { peer, n, kind, body, emoji } = one;
    try {
      await socket.request({ type: kind, peer, n, body, emoji });
      this.#end(one, { state: 'stored' });
    } catch (error) {
      if (!(error instanceof DoormanError)) throw error;
      if (error.code === 400 || error.code === 403 || error.code === 404)
        this.#end(one, { state: 'refused', error: error.error });
    }
  }

  #end(one: MessageChange, change: Pick<MessageChange, 'state' | 'error'>): void {
    if (!this.#waiting.includes(one)) return;
    this.#waiting = this.#waiting.filter((other) => other !== one);
    this.#emitter.emit('change', { ...one, ...change });
  }
}
