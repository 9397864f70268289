import { Entrance } from './auth.ts';
import { withoutBadText } from './bad-text.ts';
import { Feed } from './connection/event-log.ts';
import { Connector } from './connection/reconnecting-socket.ts';
import type { Frame, Link } from './connection/socket.ts';
import type { Doorman, DoormanOptions } from './doorman.ts';
import { Emitter } from './emitter.ts';
import type {
  ConnectionState,
  DoormanEvent,
  DoormanEvents,
  Outgoing,
  Session,
  SessionEnd,
} from './events.ts';
import { type Api, openApi } from './http/api.ts';
import { readBaseUrl } from './http/http.ts';
import { newCid } from './messages/cid.ts';
import { Outbox } from './messages/outbox.ts';
import { Marks } from './messages/read-marks.ts';
import { Typing } from './messages/typing.ts';
import { Watching } from './presence/presence-subscriptions.ts';
import { Push } from './push/push.ts';
import { openCalls } from './session/calls.ts';
import { SessionKeeper } from './session/session-store.ts';
import { GuardedStorage } from './storage/guarded-storage.ts';
import type { DoormanStorage } from './storage/storage.ts';
import { Tabs, type Told } from './storage/tab-channel.ts';
import type { Timeouts } from './timeouts.ts';
import type { LoginBody, PresenceState, RegisterBody } from './wire.ts';

/** The service takes no longer word of a device for itself. */
const MAX_DEVICE_LENGTH = 64;

/** The parts of the kit, each of which knows only what it is given here. */
export class Client implements Doorman {
  readonly api: Api;
  readonly push: Push;
  readonly storage: GuardedStorage;
  readonly #baseUrl: string;
  readonly #device: string | undefined;
  readonly #times: Timeouts;
  readonly #emitter = new Emitter<DoormanEvents>();
  readonly #session: SessionKeeper;
  readonly #entrance: Entrance;
  readonly #connector: Connector;
  readonly #feed: Feed;
  readonly #outbox: Outbox;
  readonly #marks: Marks;
  readonly #watching: Watching;
  readonly #typing: Typing;
  #view: { visible: boolean; active: boolean } | undefined;
  #toldToken: string | undefined;
  #tokenCheck: ReturnType<typeof setInterval> | undefined;

  constructor(options: DoormanOptions & { storage: DoormanStorage }, times: Timeouts) {
    const { baseUrl, device } = options;
    this.#baseUrl = readBaseUrl(baseUrl);
    this.#device = device && [...withoutBadText(device)].slice(0, MAX_DEVICE_LENGTH).join('');
    this.#times = times;
    const live = () => this.#connector.live;
    this.storage = new GuardedStorage(options.storage, times.storageMs, (error) =>
      this.#emitter.emit('storage', { state: 'memory', ...(error !== undefined && { error }) }),
    );
    const tabs = new Tabs(this.storage.name, (told) => this.#learn(told));
    this.#session = new SessionKeeper(this.#baseUrl, this.storage, tabs, times, (session, end) =>
      this.#sessionChanged(session, end),
    );
    this.#session.events.on('renewed', () => this.#prolong());
    this.api = openApi(openCalls(this.#baseUrl, times.deadlineMs, this.#session, this.storage));
    this.push = new Push(this.api, this.storage, () => this.session);
    this.#entrance = new Entrance(this.#baseUrl, times.leavingMs, this.#session, this.push);

    this.#connector = new Connector(this.#baseUrl, times, this.#session, () => this.#hello());
    this.#feed = new Feed(times, this.#emitter, this.#connector);
    this.#outbox = new Outbox(this.storage, tabs, times, this.#emitter, live);
    this.#marks = new Marks(live);
    this.#typing = new Typing(live);
    this.#watching = new Watching(times, this.#emitter, live);
    this.#connector.events.on('welcome', ({ link, welcome }) => this.#feed.entered(link, welcome));
    this.#connector.events.on('frame', ({ link, frame }) => this.#heard(link, frame));
    this.#connector.events.on('end', () => {
      this.#feed.left();
      this.#outbox.left();
    });
    this.#connector.events.on('change', (connection) => this.#connectionChanged(connection));
    // These are the first listeners, so the kit has its own state right before the program reads it.
    this.#emitter.on('message', (message) => this.#messageCame(message));
    this.#emitter.on('block', ({ userId }) => this.#watching.hide(userId));
    if (typeof addEventListener === 'function') {
      addEventListener('online', () => this.reconnectNow());
      addEventListener('offline', () => this.#connector.probe());
      addEventListener('pagehide', () => this.#connector.leavePage());
      addEventListener('pageshow', () => this.reconnectNow());
    }
  }

  get session(): Session | undefined {
    return this.#session.current;
  }

  get connection(): ConnectionState {
    return this.#connector.connection;
  }

  async restore(): Promise<Session | undefined> {
    const session = await this.#session.restore();
    this.#session.renewIfStale();
    return session;
  }

  async signUp(body: RegisterBody): Promise<Session> {
    return this.#entrance.enter(await this.api.register(body));
  }

  async signIn(body: LoginBody): Promise<Session> {
    return this.#entrance.enter(await this.api.login(body));
  }

  signOut(): Promise<void> {
    return this.#entrance.leave();
  }

  connect(): void {
    if (this.session) this.#connector.connect();
  }

  disconnect(): void {
    this.#connector.disconnect();
  }

  reconnectNow(): void {
    this.#connector.reconnectNow();
  }

  setView({ visible, active }: { visible: boolean; active: boolean }): void {
    if (this.#view?.visible === visible && this.#view.active === active) return;
    this.#view = { visible, active };
    this.#connector.live?.request({ type: 'view', visible, active }).catch(ignore);
  }

  send(to: string, body: string, cid = newCid()): Promise<Outgoing> {
    return this.#outbox.write(to, body, cid);
  }

  outgoing(): Outgoing[] {
    return this.#outbox.all();
  }

  retry(cid: string, to?: string): void {
    this.#outbox.retry(cid, to);
  }

  discard(cid: string, to?: string): Promise<void> {
    return this.#outbox.discard(cid, to);
  }

  markRead(peer: string, n: number): void {
    this.#marks.read(peer, n);
  }

  typing(to: string): void {
    this.#typing.tell(to);
  }

  watch(userIds: readonly string[]): () => void {
    return this.#watching.watch(userIds);
  }

  presenceOf(userId: string): PresenceState | undefined {
    return this.#watching.sight(userId);
  }

  on<E extends DoormanEvent>(event: E, listener: (told: DoormanEvents[E]) => void): () => void {
    return this.#emitter.on(event, listener);
  }

  async #sessionChanged(session: Session | undefined, end: SessionEnd | undefined): Promise<void> {
    if (session) this.#connector.suspend();
    else this.#connector.disconnect();
    this.#feed.forget();
    this.#marks.forget();
    this.#watching.forget();
    this.#typing.forget();
    await this.#outbox.open(session?.userId);
    if (end !== undefined && end !== 'signed_out') void this.push.release().catch(ignore);
    this.#emitter.emit('session', { session, ...(end && { end }) });
    if (session) this.#connector.goOn();
  }

  /** The connection lives as long as the newest token it was told. */
  #prolong(): void {
    const token = this.session?.token;
    if (token === undefined || token === this.#toldToken || !this.#connector.live) return;
    this.#toldToken = token;
    this.#connector.live.request({ type: 'token', token }).catch(ignore);
  }

  #hello(): object | undefined {
    if (!this.session) return undefined;
    this.#toldToken = this.session.token;
    return {
      token: this.#toldToken,
      ...(this.#device && { device: this.#device }),
      ...this.#feed.position,
      ...this.#view,
    };
  }

  #heard(link: Link, frame: Frame): void {
    if (this.#feed.heard(link, frame)) return;
    // docs/protocol.md says what they hold.
    if (frame.type === 'presence') this.#watching.learn(frame.users as PresenceState[]);
    if (frame.type === 'typing') this.#emitter.emit('typing', { from: frame.from as string });
  }

  #messageCame(message: DoormanEvents['message']): void {
    if (message.from === this.session?.userId) this.#outbox.seen(message);
  }

  #connectionChanged(connection: ConnectionState): void {
    clearInterval(this.#tokenCheck);
    // While nothing is connected or about to be, no timer keeps a program from ending; calls look at the token too.
    if (connection.state !== 'off' && connection.state !== 'stopped')
      this.#tokenCheck = setInterval(() => this.#session.renewIfStale(), this.#times.tokenCheckMs);
    this.#emitter.emit('connection', connection);
    if (!this.#connector.live) return;
    this.#session.renewIfStale();
    this.#prolong();
    this.#watching.entered();
    this.#marks.send();
    this.#outbox.send();
  }

  #learn(told: Told): void {
    if (told.kind === 'session') void this.#session.restore(told.end);
    else if (told.userId === this.session?.userId) this.#outbox.learn(told.outgoing);
  }
}

/** Of what is tried for the sake of it, and what the next connection does by itself. */
function ignore(): void {}
