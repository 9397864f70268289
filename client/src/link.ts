import { DoormanError } from './errors.ts';
import { type Envelope, toError } from './http.ts';
import { Pace } from './pace.ts';
import type { Times } from './times.ts';

/** A frame of docs/protocol.md, either way. */
export interface Frame {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface LinkHost {
  /** It can be written to; `hello` comes first. */
  opened(link: Link): void;
  /** All but replies and pongs. */
  heard(link: Link, frame: Frame): void;
  /** Once, unless it was left on purpose. @param code 1006 when it broke off, or was silent */
  closed(link: Link, code: number, reason: string): void;
}

interface Asked {
  readonly answer: (envelope: Envelope) => void;
  readonly fail: (error: DoormanError) => void;
}

/** What a frame may have (docs/protocol.md, Frames). */
const MAX_FRAME_BYTES = 65_536;

/** One WebSocket from its opening to its end: requests and their replies, pace, and whether anybody is there. */
export class Link {
  readonly #socket: WebSocket;
  readonly #host: LinkHost;
  readonly #times: Times;
  readonly #pace: Pace;
  readonly #asked = new Map<string, Asked>();
  #lastId = 0;
  #isOver = false;
  #heardAt = Date.now();
  #listening: ReturnType<typeof setTimeout> | undefined;
  #doubting: ReturnType<typeof setTimeout> | undefined;

  /** @param url of ws or wss */
  constructor(url: string, host: LinkHost, times: Times) {
    this.#host = host;
    this.#times = times;
    this.#socket = new WebSocket(url, 'doorman.v1');
    this.#pace = new Pace((text) => this.#write(text));
    this.#doubting = setTimeout(() => this.#fail('silent'), times.deadlineMs);
    this.#socket.onopen = () => host.opened(this);
    this.#socket.onmessage = ({ data }) => this.#hear(data);
    this.#socket.onclose = ({ code, reason }) => this.#over(code, reason);
    // Some tell no close of a connection that never opened. Of an open one the close follows, with its code.
    this.#socket.onerror = () => {
      if (this.#socket.readyState !== WebSocket.OPEN) setTimeout(() => this.#over(1006, 'not opened'), 0);
    };
  }

  /**
   * @throws {DoormanError} what the service refused; `unreachable` if the connection broke before the reply, so that
   *   nobody knows whether it was done
   */
  request<Data>(frame: Frame): Promise<Data> {
    return new Promise((resolve, reject) => this.ask(frame, resolve, reject));
  }

  /** As `request`, but `done` is called before any frame is heard that comes after the reply. */
  ask<Data>(frame: Frame, done: (data: Data) => void, failed: (error: DoormanError) => void): void {
    const id = String(++this.#lastId);
    const text = JSON.stringify({ ...frame, id });
    if (this.#isOver) {
      failed(new DoormanError(0, 'unreachable', 'Not connected'));
      return;
    }
    // It would end the connection, and come again on the next.
    if (new TextEncoder().encode(text).length > MAX_FRAME_BYTES) {
      failed(new DoormanError(400, 'frame_too_large', 'More than 65,536 bytes in a frame'));
      return;
    }
    this.#asked.set(id, {
      answer: (envelope) => {
        if (envelope.code === 200)
          done(envelope.data as Data); // docs/protocol.md says what
        else failed(toError(envelope));
      },
      fail: failed,
    });
    this.#pace.push(text);
  }

  /** Without a reply: only for frames that cannot be wrong, since a wrong one ends the connection. */
  tell(frame: Frame): void {
    if (!this.#isOver) this.#pace.push(JSON.stringify(frame));
  }

  /** `hello` was answered: from now on it is listened for silence. */
  settle(): void {
    clearTimeout(this.#doubting);
    this.#doubting = undefined;
    this.#listen();
  }

  /** Asks whether anybody is there, and ends the connection if nothing at all comes within `withinMs`. */
  probe(withinMs = this.#times.pongMs): void {
    if (this.#isOver || this.#doubting !== undefined) return;
    this.#write('{"type":"ping"}');
    this.#doubting = setTimeout(() => this.#fail('silent'), withinMs);
  }

  /** Nothing more is told of this link. @param isBye the user goes, and does not come back in a moment */
  leave(isBye: boolean): void {
    if (this.#isOver) return;
    if (isBye && this.#socket.readyState === WebSocket.OPEN) this.#write('{"type":"bye"}');
    this.#end();
    this.#socket.close(1000);
  }

  /** A socket that is closing takes nothing any more, and browsers tell that on the console as an error. */
  #write(text: string): void {
    if (this.#socket.readyState <= WebSocket.OPEN) this.#socket.send(text);
  }

  #hear(data: unknown): void {
    if (this.#isOver) return;
    this.#heardAt = Date.now();
    if (this.#doubting !== undefined && this.#listening !== undefined) {
      clearTimeout(this.#doubting);
      this.#doubting = undefined;
    }
    const frame = readFrame(data);
    if (!frame) {
      this.#fail('unreadable');
    } else if (frame.type === 'reply') {
      const id = String(frame.id);
      const asked = this.#asked.get(id);
      this.#asked.delete(id);
      asked?.answer(frame as unknown as Envelope); // docs/protocol.md: a reply has the fields of the envelope
    } else if (frame.type !== 'pong') {
      this.#host.heard(this, frame);
    }
  }

  #listen(): void {
    const silentMs = Math.max(0, Date.now() - this.#heardAt);
    if (silentMs >= this.#times.silenceMs) this.probe();
    const nextMs =
      silentMs >= this.#times.silenceMs ? this.#times.silenceMs : this.#times.silenceMs - silentMs;
    this.#listening = setTimeout(() => this.#listen(), nextMs);
  }

  /** Of a half-open network no close would come for minutes, so it is not waited for. */
  #fail(why: string): void {
    if (this.#isOver) return;
    this.#over(1006, why);
    this.#socket.close();
  }

  #over(code: number, reason: string): void {
    if (this.#isOver) return;
    this.#end();
    this.#host.closed(this, code, reason);
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#listening);
    clearTimeout(this.#doubting);
    this.#pace.end();
    const asked = [...this.#asked.values()];
    this.#asked.clear();
    for (const { fail } of asked) fail(new DoormanError(0, 'unreachable', 'The connection broke'));
  }
}

function readFrame(data: unknown): Frame | undefined {
  try {
    const frame: unknown = JSON.parse(String(data));
    const isOne = typeof frame === 'object' && frame !== null && 'type' in frame;
    return isOne && typeof frame.type === 'string' ? (frame as Frame) : undefined; // every field is unknown still
  } catch {
    return undefined;
  }
}
