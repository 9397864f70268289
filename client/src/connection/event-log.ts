import type { Emitter } from '../emitter.ts';
import { DoormanError } from '../errors.ts';
import type { DoormanEvents } from '../events.ts';
import type { Timeouts } from '../timeouts.ts';
import { LOG_EVENT_NAMES, type LogEventData, type Snapshot, type Welcome } from '../wire.ts';
import type { ReconnectingSocket } from './reconnecting-socket.ts';
import type { Frame, Socket } from './socket.ts';

interface EventFrame {
  readonly seq: number;
  readonly at: number;
  readonly event: string;
  readonly data: object;
}

/** The events that have the time at which they were stored. */
const TIMED: ReadonlySet<keyof LogEventData> = new Set(['message', 'unsent', 'edited', 'reaction']);

/**
 * The user's log on this device: delivers every event once and in order, over all connections, or a snapshot and the events
 * after it (docs/protocol.md, The log).
 */
export class EventLog {
  readonly #timeouts: Pick<Timeouts, 'ackMs' | 'limitWindowMs'>;
  readonly #emitter: Emitter<DoormanEvents>;
  readonly #connection: Pick<ReconnectingSocket, 'goLive' | 'drop'>;
  /** The last event or snapshot that was delivered to the program. */
  #delivered: { epoch: string; seq: number } | undefined;
  #socket: Socket | undefined;
  #epoch = '';
  /** The last event that arrived on this connection, delivered or not. */
  #received = 0;
  /** Events that arrive during the request for a snapshot. */
  #held: EventFrame[] | undefined;
  #isComplete = false;
  /** The event before the last gap. */
  #gapAfter: number | undefined;
  #ackTimer: ReturnType<typeof setTimeout> | undefined;
  #syncTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    timeouts: Pick<Timeouts, 'ackMs' | 'limitWindowMs'>,
    emitter: Emitter<DoormanEvents>,
    connection: Pick<ReconnectingSocket, 'goLive' | 'drop'>,
  ) {
    this.#timeouts = timeouts;
    this.#emitter = emitter;
    this.#connection = connection;
  }

  /** For `hello`. */
  get position(): { epoch?: string; seq?: number } {
    return { ...this.#delivered };
  }

  /** Another user, who has another log. */
  reset(): void {
    this.onEnd();
    this.#delivered = undefined;
  }

  onWelcome(socket: Socket, { epoch, seq, resumed }: Welcome): void {
    this.#socket = socket;
    this.#epoch = epoch;
    this.#isComplete = false;
    if (resumed && this.#delivered) {
      this.#received = this.#delivered.seq;
      this.#held = undefined;
      // The last connection may have ended before it acknowledged what it delivered.
      this.#ack();
    } else {
      this.#received = seq;
      this.#held = [];
      void this.#sync(socket);
    }
  }

  onEnd(): void {
    this.#socket = undefined;
    this.#held = undefined;
    clearTimeout(this.#syncTimer);
    clearTimeout(this.#ackTimer);
    this.#ackTimer = undefined;
  }

  /** @returns whether the frame was one of the log */
  onFrame(socket: Socket, frame: Frame): boolean {
    if (frame.type !== 'live' && frame.type !== 'event') return false;
    if (socket !== this.#socket) return true;
    if (frame.type === 'live') {
      this.#isComplete = true;
      if (!this.#held) this.#connection.goLive();
      return true;
    }
    const event = frame as unknown as EventFrame; // docs/protocol.md, The log
    if (event.seq <= this.#received) return true;
    if (event.seq !== this.#received + 1) {
      this.#onGap();
      return true;
    }
    this.#received = event.seq;
    if (this.#held) this.#held.push(event);
    else this.#deliver(event);
    return true;
  }

  /** On a gap: resumes once; if the gap persists, does a full sync. */
  #onGap(): void {
    if (this.#delivered?.seq === this.#gapAfter) this.#delivered = undefined;
    this.#gapAfter = this.#delivered?.seq;
    this.#connection.drop();
  }

  async #sync(socket: Socket): Promise<void> {
    let snapshot: Snapshot;
    try {
      snapshot = await socket.request<Snapshot>({ type: 'sync' });
    } catch (error) {
      if (socket !== this.#socket) return;
      // The limit is one of the user: another connection would be refused too.
      if (error instanceof DoormanError && error.code === 429)
        this.#syncTimer = setTimeout(() => void this.#sync(socket), this.#timeouts.limitWindowMs);
      else this.#connection.drop();
      return;
    }
    if (socket !== this.#socket) return;
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#delivered = { epoch: snapshot.epoch, seq: snapshot.seq };
    this.#emitter.emit('snapshot', snapshot);
    this.#ack();
    for (const event of held) if (socket === this.#socket) this.#deliver(event);
    if (this.#isComplete && socket === this.#socket) this.#connection.goLive();
  }

  #deliver(event: EventFrame): void {
    this.#ack();
    // The snapshot includes it.
    if (this.#delivered && event.seq <= this.#delivered.seq) return;
    this.#delivered = { epoch: this.#epoch, seq: event.seq };
    const name = LOG_EVENT_NAMES.find((known) => known === event.event);
    if (!name) return; // a later service may have more events
    const { seq, at } = event;
    const data = { ...event.data, ...(TIMED.has(name) && { at }), seq };
    this.#emitter.emit(name, data as DoormanEvents[typeof name]); // docs/protocol.md, The log
  }

  /** Acknowledges the events received so far, after `ackMs`. */
  #ack(): void {
    this.#ackTimer ??= setTimeout(() => {
      this.#ackTimer = undefined;
      this.#socket?.send({ type: 'ack', seq: this.#received });
    }, this.#timeouts.ackMs);
  }
}
