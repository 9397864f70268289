import { DoormanError } from '../errors.ts';
import { type Envelope, toError } from '../http/http.ts';

/** A frame that is to be written. Without an id there is no reply to it. */
interface Written {
  readonly text: string;
  readonly id?: string;
  readonly answer?: (envelope: Envelope) => void;
  readonly fail?: (error: DoormanError) => void;
}

/** What came of a request that was alone in flight when the service ended the connection over a frame. */
export const FRAME_REJECTED = 'frame_rejected';

/** The frames of one connection on their way: in their order, and with the replies to those that ask for one. */
export class Requests {
  readonly #write: (text: string) => void;
  readonly #isOneAtATime: boolean;
  readonly #inFlight = new Map<string, Written>();
  #waiting: Written[] = [];
  #lastId = 0;

  /** @param isOneAtATime each request waits for the reply to the one before, and what follows waits with it */
  constructor(write: (text: string) => void, isOneAtATime: boolean) {
    this.#write = write;
    this.#isOneAtATime = isOneAtATime;
  }

  newId(): string {
    return String(++this.#lastId);
  }

  push(frame: Written): void {
    this.#waiting.push(frame);
    this.#flow();
  }

  /** @param done called before any later frame is heard */
  ask<Data>(id: string, text: string, done: (data: Data) => void, fail: (error: DoormanError) => void): void {
    const answer = (envelope: Envelope) => {
      if (envelope.code === 200)
        done(envelope.data as Data); // docs/protocol.md says what
      else fail(toError(envelope));
    };
    this.push({ text, id, answer, fail });
  }

  answer(id: string, envelope: Envelope): void {
    const asked = this.#inFlight.get(id);
    this.#inFlight.delete(id);
    asked?.answer?.(envelope);
    this.#flow();
  }

  /** @param code of the close: 1002 and 1007 are about a frame (RFC 6455, 7.4.1) */
  end(code: number): void {
    const isRejected = (code === 1002 || code === 1007) && this.#inFlight.size === 1;
    const [inFlight, waiting] = [[...this.#inFlight.values()], this.#waiting];
    this.#inFlight.clear();
    this.#waiting = [];
    const word = isRejected ? FRAME_REJECTED : 'unreachable';
    for (const { fail } of inFlight) fail?.(new DoormanError(0, word, 'The connection broke'));
    for (const { fail } of waiting) fail?.(new DoormanError(0, 'unreachable', 'The connection broke'));
  }

  #flow(): void {
    while (!this.#isOneAtATime || this.#inFlight.size === 0) {
      const next = this.#waiting.shift();
      if (!next) return;
      if (next.id !== undefined) this.#inFlight.set(next.id, next);
      this.#write(next.text);
    }
  }
}
