import { DoormanError } from '../errors.ts';
import { type Envelope, toError } from '../http/http.ts';

/** A frame to send. Without an id it gets no reply. */
interface OutgoingFrame {
  readonly text: string;
  readonly id?: string;
  readonly onReply?: (envelope: Envelope) => void;
  readonly onFailure?: (error: DoormanError) => void;
}

/** The error of a request that was alone in flight when the service ended the connection over a frame. */
export const FRAME_REJECTED = 'frame_rejected';

/** The frames of one connection, sent in order, with the replies to those that are requests. */
export class Requests {
  readonly #write: (text: string) => void;
  readonly #isOneAtATime: boolean;
  readonly #inFlight = new Map<string, OutgoingFrame>();
  #waiting: OutgoingFrame[] = [];
  #lastId = 0;

  /** @param isOneAtATime each frame waits for the reply to the request before it */
  constructor(write: (text: string) => void, isOneAtATime: boolean) {
    this.#write = write;
    this.#isOneAtATime = isOneAtATime;
  }

  newId(): string {
    return String(++this.#lastId);
  }

  push(frame: OutgoingFrame): void {
    this.#waiting.push(frame);
    this.#flush();
  }

  /** @param onData called before any later frame is handled */
  request<Data>(
    id: string,
    text: string,
    onData: (data: Data) => void,
    onFailure: (error: DoormanError) => void,
  ): void {
    const onReply = (envelope: Envelope) => {
      if (envelope.code === 200)
        onData(envelope.data as Data); // docs/protocol.md has its shape
      else onFailure(toError(envelope));
    };
    this.push({ text, id, onReply, onFailure });
  }

  onReply(id: string, envelope: Envelope): void {
    const request = this.#inFlight.get(id);
    this.#inFlight.delete(id);
    request?.onReply?.(envelope);
    this.#flush();
  }

  /** @param code of the close: 1002 and 1007 are about a frame (RFC 6455, 7.4.1) */
  end(code: number): void {
    const isRejected = (code === 1002 || code === 1007) && this.#inFlight.size === 1;
    const [inFlight, waiting] = [[...this.#inFlight.values()], this.#waiting];
    this.#inFlight.clear();
    this.#waiting = [];
    const word = isRejected ? FRAME_REJECTED : 'unreachable';
    for (const { onFailure } of inFlight) onFailure?.(new DoormanError(0, word, 'The connection broke'));
    for (const { onFailure } of waiting)
      onFailure?.(new DoormanError(0, 'unreachable', 'The connection broke'));
  }

  #flush(): void {
    while (!this.#isOneAtATime || this.#inFlight.size === 0) {
      const next = this.#waiting.shift();
      if (!next) return;
      if (next.id !== undefined) this.#inFlight.set(next.id, next);
      this.#write(next.text);
    }
  }
}
