import { badText, hasBadText } from '../bad-text.ts';
import { Emitter } from '../emitter.ts';
import { DoormanError } from '../errors.ts';
import type { Envelope } from '../http/http.ts';
import type { Timeouts } from '../timeouts.ts';
import { FrameThrottle } from './frame-throttle.ts';
import { Requests } from './requests.ts';

/** A frame of docs/protocol.md, in either direction. */
export interface Frame {
  readonly type: string;
  readonly [field: string]: unknown;
}

interface SocketEvents {
  /** It can be written to; `hello` comes first. */
  open: undefined;
  /** All but replies and pongs. */
  frame: Frame;
  /** Once, unless `close` was called. The code is 1006 when the connection broke or was silent. */
  close: { code: number; reason: string };
}

/** The limit of a frame (docs/protocol.md, Frames). */
const MAX_FRAME_BYTES = 65_536;

/** One WebSocket from its opening to its end: requests with their replies, the rate of frames, and silence. */
export class Socket {
  readonly events = new Emitter<SocketEvents>();
  readonly #socket: WebSocket;
  readonly #timeouts: Timeouts;
  readonly #throttle: FrameThrottle;
  readonly #requests: Requests;
  #isOver = false;
  #lastFrameAt = performance.now();
  #silenceCheck: ReturnType<typeof setTimeout> | undefined;
  /** Ends the connection if nothing arrives until then: no reply to `hello`, or no pong. */
  #deadline: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param url of ws or wss
   * @param isOneAtATime each frame waits for the reply to the request before it
   */
  constructor(url: string, timeouts: Timeouts, isOneAtATime: boolean) {
    this.#timeouts = timeouts;
    this.#socket = new WebSocket(url, 'doorman.v1');
    this.#throttle = new FrameThrottle((text) => this.#write(text));
    this.#requests = new Requests((text) => this.#throttle.push(text), isOneAtATime);
    this.#deadline = setTimeout(() => this.#fail('silent'), timeouts.deadlineMs);
    this.#socket.onopen = () => this.events.emit('open', undefined);
    this.#socket.onmessage = ({ data }) => this.#onMessage(data);
    this.#socket.onclose = ({ code, reason }) => this.#onClose(code, reason);
    // Some runtimes report no close of a connection that never opened. An open one reports its close, with the code.
    this.#socket.onerror = () => {
      if (this.#socket.readyState !== WebSocket.OPEN) setTimeout(() => this.#onClose(1006, 'not opened'), 0);
    };
  }

  /**
   * @throws {DoormanError} the service's refusal; `unreachable` if the connection broke before the reply, so that the outcome
   *   is unknown
   */
  request<Data>(frame: Frame): Promise<Data> {
    return new Promise((resolve, reject) => this.requestThen(frame, resolve, reject));
  }

  /** Like `request`, but `onData` is called before any frame after the reply is handled. */
  requestThen<Data>(
    frame: Frame,
    onData: (data: Data) => void,
    onFailure: (error: DoormanError) => void,
  ): void {
    const id = this.#requests.newId();
    const text = JSON.stringify({ ...frame, id });
    if (this.#isOver) {
      onFailure(new DoormanError(0, 'unreachable', 'Not connected'));
      return;
    }
    // Either of the two would end the connection, and again the next one.
    if (hasBadText(frame)) {
      onFailure(badText());
      return;
    }
    if (new TextEncoder().encode(text).length > MAX_FRAME_BYTES) {
      onFailure(new DoormanError(400, 'frame_too_large', 'More than 65,536 bytes in a frame'));
      return;
    }
    this.#requests.request(id, text, onData, onFailure);
  }

  /** Without a reply: only for frames that are always valid, since an invalid one ends the connection. */
  send(frame: Frame): void {
    if (!this.#isOver) this.#requests.push({ text: JSON.stringify(frame) });
  }

  /** `hello` was answered: from now on silence is followed by a ping. */
  startSilenceCheck(): void {
    clearTimeout(this.#deadline);
    this.#deadline = undefined;
    this.#checkSilence();
  }

  /** Sends a ping, and ends the connection if nothing at all arrives within `withinMs`. */
  probe(withinMs = this.#timeouts.pongMs): void {
    if (this.#isOver || this.#deadline !== undefined) return;
    this.#write('{"type":"ping"}');
    this.#deadline = setTimeout(() => this.#fail('silent'), withinMs);
  }

  /** No event follows. @param isBye the user leaves, and does not reconnect in a moment */
  close(isBye: boolean): void {
    if (this.#isOver) return;
    if (isBye && this.#socket.readyState === WebSocket.OPEN) this.#write('{"type":"bye"}');
    this.#end(1000);
    this.#socket.close(1000);
  }

  /** A closing socket accepts nothing more, and browsers report that as an error on the console. */
  #write(text: string): void {
    if (this.#socket.readyState <= WebSocket.OPEN) this.#socket.send(text);
  }

  #onMessage(data: unknown): void {
    if (this.#isOver) return;
    this.#lastFrameAt = performance.now();
    if (this.#deadline !== undefined && this.#silenceCheck !== undefined) {
      clearTimeout(this.#deadline);
      this.#deadline = undefined;
    }
    const frame = readFrame(data);
    if (!frame) {
      this.#fail('unreadable');
    } else if (frame.type === 'reply') {
      this.#requests.onReply(String(frame.id), frame as unknown as Envelope); // docs/protocol.md: a reply has the fields of the envelope
    } else if (frame.type !== 'pong') {
      this.events.emit('frame', frame);
    }
  }

  #checkSilence(): void {
    const { silenceMs } = this.#timeouts;
    const silentMs = performance.now() - this.#lastFrameAt;
    if (silentMs >= silenceMs) this.probe();
    const nextMs = silentMs >= silenceMs ? silenceMs : silenceMs - silentMs;
    this.#silenceCheck = setTimeout(() => this.#checkSilence(), nextMs);
  }

  /** Does not wait for the close event, which takes minutes on a half-open network. */
  #fail(why: string): void {
    if (this.#isOver) return;
    this.#onClose(1006, why);
    this.#socket.close();
  }

  #onClose(code: number, reason: string): void {
    if (this.#isOver) return;
    this.#end(code);
    this.events.emit('close', { code, reason });
  }

  #end(code: number): void {
    this.#isOver = true;
    clearTimeout(this.#silenceCheck);
    clearTimeout(this.#deadline);
    this.#throttle.end();
    this.#requests.end(code);
  }
}

function readFrame(data: unknown): Frame | undefined {
  try {
    const frame: unknown = JSON.parse(String(data));
    const hasType = typeof frame === 'object' && frame !== null && 'type' in frame;
    return hasType && typeof frame.type === 'string' ? (frame as Frame) : undefined; // every field is still unknown
  } catch {
    return undefined;
  }
}
