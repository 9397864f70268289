import { EventEmitter } from 'node:events';
import type { Link, LinkEvents } from '../src/nodes/link.ts';

/** Links of one process, for tests that decide which messages are lost. Messages are delivered in later microtasks. */
export class MemoryHub {
  readonly #links = new Set<MemoryLink>();
  /** Which messages are delivered. */
  passes: (channel: string, bytes: Buffer) => boolean = () => true;

  connect(): MemoryLink {
    const link = new MemoryLink((channel, bytes) => {
      if (!this.passes(channel, bytes)) return;
      for (const other of this.#links) if (other.isUp) queueMicrotask(() => other.deliver(channel, bytes));
    });
    this.#links.add(link);
    return link;
  }
}

export class MemoryLink extends EventEmitter<LinkEvents> implements Link {
  readonly #send: (channel: string, bytes: Buffer) => void;
  readonly #channels = new Map<string, (bytes: Buffer) => void>();
  #isUp = true;

  constructor(send: (channel: string, bytes: Buffer) => void) {
    super();
    this.#send = send;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  set isUp(isUp: boolean) {
    this.#isUp = isUp;
    this.emit(isUp ? 'up' : 'down');
  }

  publish(channel: string, bytes: Buffer): void {
    if (this.#isUp) this.#send(channel, bytes);
  }

  deliver(channel: string, bytes: Buffer): void {
    if (this.#isUp) this.#channels.get(channel)?.(bytes);
  }

  subscribe(channel: string, listener: (bytes: Buffer) => void): void {
    this.#channels.set(channel, listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isUp = false;
    this.#channels.clear();
  }
}
