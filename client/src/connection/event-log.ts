import type { Emitter } from '../emitter.ts';
import { DoormanError } from '../errors.ts';
import type { DoormanEvents } from '../events.ts';
import type { Timeouts } from '../timeouts.ts';
import { LOG_EVENT_NAMES, type Snapshot, type Welcome } from '../wire.ts';
import type { Connector } from './reconnecting-socket.ts';
import type { Frame, Link } from './socket.ts';

/** One event of the user's log, as the frame says it. */
interface EventFrame {
  readonly seq: number;
  readonly at: number;
  readonly event: string;
  readonly data: object;
}

/**
 * The user's log as this device has it: every event once and in order, over all connections, or a snapshot and what comes
 * after it (docs/protocol.md, The log).
 */
export class Feed {
  readonly #times: Pick<Timeouts, 'ackMs' | 'limitWindowMs'>;
  readonly #emitter: Emitter<DoormanEvents>;
  readonly #connector: Pick<Connector, 'goLive' | 'breakOff'>;
  /** What was told to the program. */
  #position: { epoch: string; seq: number } | undefined;
  #link: Link | undefined;
  #epoch = '';
  /** The last event that came on this connection, told or not. */
  #received = 0;
  /** What came while a snapshot is under way. */
  #held: EventFrame[] | undefined;
  #isComplete = false;
  /** After which event the last gap was. */
  #missedAfter: number | undefined;
  #acking: ReturnType<typeof setTimeout> | undefined;
  #asking: ReturnType<typeof setTimeout> | undefined;

  constructor(
    times: Pick<Timeouts, 'ackMs' | 'limitWindowMs'>,
    emitter: Emitter<DoormanEvents>,
    connector: Pick<Connector, 'goLive' | 'breakOff'>,
  ) {
    this.#times = times;
    this.#emitter = emitter;
    this.#connector = connector;
  }

  /** For `hello`. */
  get position(): { epoch?: string; seq?: number } {
    return { ...this.#position };
  }

  /** Another person: all that was known is void. */
  forget(): void {
    this.left();
    this.#position = undefined;
  }

  entered(link: Link, { epoch, seq, resumed }: Welcome): void {
    this.#link = link;
    this.#epoch = epoch;
    this.#isComplete = false;
    if (resumed && this.#position) {
      this.#received = this.#position.seq;
      this.#held = undefined;
      // What was told just before the last connection broke was not acknowledged any more.
      this.#ack();
    } else {
      this.#received = seq;
      this.#held = [];
      void this.#takeSnapshot(link);
    }
  }

  left(): void {
    this.#link = undefined;
    this.#held = undefined;
    clearTimeout(this.#asking);
    clearTimeout(this.#acking);
    this.#acking = undefined;
  }

  /** @returns whether the frame was one of the log's */
  heard(link: Link, frame: Frame): boolean {
    if (frame.type !== 'live' && frame.type !== 'event') return false;
    if (link !== this.#link) return true;
    if (frame.type === 'live') {
      this.#isComplete = true;
      if (!this.#held) this.#connector.goLive();
      return true;
    }
    const event = frame as unknown as EventFrame; // docs/protocol.md, The log
    if (event.seq <= this.#received) return true;
    if (event.seq !== this.#received + 1) {
      this.#miss();
      return true;
    }
    this.#received = event.seq;
    if (this.#held) this.#held.push(event);
    else this.#tell(event);
    return true;
  }

  /** An event is missing. It is asked for again; if it stays away, as one that the log lost, everything is taken anew. */
  #miss(): void {
    if (this.#position?.seq === this.#missedAfter) this.#position = undefined;
    this.#missedAfter = this.#position?.seq;
    this.#connector.breakOff();
  }

  async #takeSnapshot(link: Link): Promise<void> {
    let snapshot: Snapshot;
    try {
      snapshot = await link.request<Snapshot>({ type: 'sync' });
    } catch (error) {
      if (link !== this.#link) return;
      // Too many for this user: another connection would be refused too.
      if (error instanceof DoormanError && error.code === 429)
        this.#asking = setTimeout(() => void this.#takeSnapshot(link), this.#times.limitWindowMs);
      else this.#connector.breakOff();
      return;
    }
    if (link !== this.#link) return;
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#position = { epoch: snapshot.epoch, seq: snapshot.seq };
    this.#emitter.emit('snapshot', snapshot);
    this.#ack();
    for (const event of held) if (link === this.#link) this.#tell(event);
    if (this.#isComplete && link === this.#link) this.#connector.goLive();
  }

  #tell(event: EventFrame): void {
    this.#ack();
    // A snapshot has it already.
    if (this.#position && event.seq <= this.#position.seq) return;
    this.#position = { epoch: this.#epoch, seq: event.seq };
    const kind = LOG_EVENT_NAMES.find((known) => known === event.event);
    if (!kind) return; // a later service may tell more
    const { seq, at } = event;
    const data = { ...event.data, ...(kind === 'message' && { at }), seq };
    this.#emitter.emit(kind, data as DoormanEvents[typeof kind]); // docs/protocol.md, The log
  }

  /** Says how far this device has everything, a moment after it was told. */
  #ack(): void {
    this.#acking ??= setTimeout(() => {
      this.#acking = undefined;
      this.#link?.tell({ type: 'ack', seq: this.#received });
    }, this.#times.ackMs);
  }
}
