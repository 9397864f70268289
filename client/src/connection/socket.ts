import { badText, hasBadText } from '../bad-text.ts';
import { Emitter } from '../emitter.ts';
import { DoormanError } from '../errors.ts';
import type { Envelope } from '../http/http.ts';
import type { Timeouts } from '../timeouts.ts';
import { Pace } from './frame-throttle.ts';
import { Requests } from './requests.ts';

/** A frame of docs/protocol.md, either way. */
export interface Frame {
  readonly type: string;
  readonly [field: string]: unknown;
}

interface LinkEvents {
  /** It can be written to; `hello` comes first. */
  open: undefined;
  /** All but replies and pongs. */
  frame: Frame;
  /** Once, unless `leave` closed it. The code is 1006 when the connection broke or was silent. */
  close: { code: number; reason: string };
}

/** What a frame may have (docs/protocol.md, Frames). */
const MAX_FRAME_BYTES = 65_536;

/** One WebSocket from its opening to its end: requests and their replies, pace, and whether anybody is there. */
export class Link {
  readonly events = new Emitter<LinkEvents>();
  readonly #socket: WebSocket;
  readonly #times: Timeouts;
  readonly #pace: Pace;
  readonly #requests: Requests;
  #isOver = false;
  #heardAt = performance.now();
  #listening: ReturnType<typeof setTimeout> | undefined;
  #doubting: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param url of ws or wss
   * @param isOneAtATime each request waits for the reply to the one before
   */
  constructor(url: string, times: Timeouts, isOneAtATime: boolean) {
    this.#times = times;
    this.#socket = new WebSocket(url, 'doorman.v1');
    this.#pace = new Pace((text) => this.#write(text));
    this.#requests = new Requests((text) => this.#pace.push(text), isOneAtATime);
    this.#doubting = setTimeout(() => this.#fail('silent'), times.deadlineMs);
    this.#socket.onopen = () => this.events.emit('open', undefined);
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
    const id = this.#requests.newId();
    const text = JSON.stringify({ ...frame, id });
    if (this.#isOver) {
      failed(new DoormanError(0, 'unreachable', 'Not connected'));
      return;
    }
    // Either would end the connection, and come again on the next.
    if (hasBadText(frame)) {
      failed(badText());
      return;
    }
    if (new TextEncoder().encode(text).length > MAX_FRAME_BYTES) {
      failed(new DoormanError(400, 'frame_too_large', 'More than 65,536 bytes in a frame'));
      return;
    }
    this.#requests.ask(id, text, done, failed);
  }

  /** Without a reply: only for frames that cannot be wrong, since a wrong one ends the connection. */
  tell(frame: Frame): void {
    if (!this.#isOver) this.#requests.push({ text: JSON.stringify(frame) });
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
    this.#end(1000);
    this.#socket.close(1000);
  }

  /** A socket that is closing takes nothing any more, and browsers tell that on the console as an error. */
  #write(text: string): void {
    if (this.#socket.readyState <= WebSocket.OPEN) this.#socket.send(text);
  }

  #hear(data: unknown): void {
    if (this.#isOver) return;
    this.#heardAt = performance.now();
    if (this.#doubting !== undefined && this.#listening !== undefined) {
      clearTimeout(this.#doubting);
      this.#doubting = undefined;
    }
    const frame = readFrame(data);
    if (!frame) {
      this.#fail('unreadable');
    } else if (frame.type === 'reply') {
      this.#requests.answer(String(frame.id), frame as unknown as Envelope); // docs/protocol.md: a reply has the fields of the envelope
    } else if (frame.type !== 'pong') {
      this.events.emit('frame', frame);
    }
  }

  #listen(): void {
    const silentMs = performance.now() - this.#heardAt;
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
    this.#end(code);
    this.events.emit('close', { code, reason });
  }

  #end(code: number): void {
    this.#isOver = true;
    clearTimeout(this.#listening);
    clearTimeout(this.#doubting);
    this.#pace.end();
    this.#requests.end(code);
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
