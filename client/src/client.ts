import { Auth } from './auth.ts';
import { withoutBadText } from './bad-text.ts';
import { EventLog } from './connection/event-log.ts';
import { ReconnectingSocket } from './connection/reconnecting-socket.ts';
import type { Frame, Socket } from './connection/socket.ts';
import type { Doorman, DoormanOptions, SendOptions } from './doorman.ts';
import { Emitter } from './emitter.ts';
import type {
  ConnectionState,
  DoormanEvent,
  DoormanEvents,
  MessageChange,
  Outgoing,
  OutgoingPicture,
  OwnMessage,
  Session,
  SessionEnd,
} from './events.ts';
import { type Api, openApi } from './http/api.ts';
import { readBaseUrl } from './http/http.ts';
import { Changes } from './messages/changes.ts';
import { newCid } from './messages/cid.ts';
import { Outbox } from './messages/outbox.ts';
import { OutboxState } from './messages/outbox-state.ts';
import { PictureUploads } from './messages/picture-uploads.ts';
import { ReadMarks } from './messages/read-marks.ts';
import { SendQueue } from './messages/send-queue.ts';
import { Typing } from './messages/typing.ts';
import { PresenceSubscriptions } from './presence/presence-subscriptions.ts';
import { Push } from './push/push.ts';
import { openCalls } from './session/calls.ts';
import { SessionStore } from './session/session-store.ts';
import { sessionIdOf } from './session/tokens.ts';
import { GuardedStorage } from './storage/guarded-storage.ts';
import type { DoormanStorage } from './storage/storage.ts';
import { TabChannel, type TabMessage } from './storage/tab-channel.ts';
import type { Timeouts } from './timeouts.ts';
import type { DeletionAsked, LoginBody, PictureType, PresenceState, RegisterBody } from './wire.ts';

/** The service accepts no longer name of a device. */
const MAX_DEVICE_LENGTH = 64;

/** Opens the parts of the kit and connects them. No part knows more of the others than its arguments. */
export class Client implements Doorman {
  readonly api: Api;
  readonly push: Push;
  readonly storage: GuardedStorage;
  readonly #device: string | undefined;
  readonly #timeouts: Timeouts;
  readonly #emitter = new Emitter<DoormanEvents>();
  readonly #session: SessionStore;
  readonly #auth: Auth;
  readonly #connection: ReconnectingSocket;
  readonly #eventLog: EventLog;
  readonly #queue: SendQueue;
  readonly #outbox: Outbox;
  readonly #changes: Changes;
  readonly #readMarks: ReadMarks;
  readonly #presence: PresenceSubscriptions;
  readonly #typing: Typing;
  #view: { visible: boolean; active: boolean } | undefined;
  #sentToken: string | undefined;
  #tokenCheck: ReturnType<typeof setInterval> | undefined;

  constructor(options: DoormanOptions & { storage: DoormanStorage }, timeouts: Timeouts) {
    const { device } = options;
    const baseUrl = readBaseUrl(options.baseUrl);
    this.#device = device && [...withoutBadText(device)].slice(0, MAX_DEVICE_LENGTH).join('');
    this.#timeouts = timeouts;
    this.storage = new GuardedStorage(options.storage, timeouts.storageMs, (error) =>
      this.#emitter.emit('storage', { state: 'memory', ...(error !== undefined && { error }) }),
    );
    const tabs = new TabChannel(this.storage.name, (message) => this.#onTabMessage(message));
    this.#session = new SessionStore(baseUrl, this.storage, tabs, timeouts, (session, end) =>
      this.#onSessionChange(session, end),
    );
    this.#session.events.on('renewed', () => this.#sendToken());
    this.api = openApi(openCalls(baseUrl, timeouts, this.#session, this.storage));
    this.push = new Push(this.api, this.storage, () => this.session);
    this.#auth = new Auth(baseUrl, options.getToken, timeouts, this.#session, this.push);

    const live = () => this.#connection.live;
    this.#connection = new ReconnectingSocket(baseUrl, timeouts, this.#session, () => this.#hello());
    this.#eventLog = new EventLog(timeouts, this.#emitter, this.#connection);
    const state = new OutboxState(this.storage, tabs, this.#emitter);
    this.#queue = new SendQueue(state, timeouts, live, new PictureUploads(state, this.api));
    this.#outbox = new Outbox(state, this.#queue);
    this.#changes = new Changes(state, this.#queue);
    this.#readMarks = new ReadMarks(live);
    this.#typing = new Typing(live);
    this.#presence = new PresenceSubscriptions(timeouts, this.#emitter, live);
    this.#connection.events.on('welcome', ({ socket, welcome }) => this.#eventLog.onWelcome(socket, welcome));
    this.#connection.events.on('frame', ({ socket, frame }) => this.#onFrame(socket, frame));
    this.#connection.events.on('end', () => {
      this.#eventLog.onEnd();
      this.#queue.onEnd();
    });
    this.#connection.events.on('change', (connection) => this.#onConnectionChange(connection));
    // The kit's own listeners are the first, so its state is up to date when those of the program read it.
    this.#emitter.on('message', (message) => {
      if (message.from === this.session?.userId) this.#outbox.onOwnMessage(message);
    });
    for (const event of ['unsent', 'edited'] as const)
      this.#emitter.on(event, (change) => {
        if (change.by === this.session?.userId) state.stored.onChange(change);
      });
    this.#emitter.on('conversation', ({ peer, markedUnread }) => {
      if (markedUnread) this.#readMarks.onMarkedUnread(peer);
    });
    this.#emitter.on('block', ({ userId }) => this.#presence.hide(userId));
    if (typeof addEventListener === 'function') {
      addEventListener('online', () => this.reconnectNow());
      addEventListener('offline', () => this.#connection.probe());
      addEventListener('pagehide', () => this.#connection.leavePage());
      addEventListener('pageshow', () => this.reconnectNow());
    }
  }

  get session(): Session | undefined {
    return this.#session.current;
  }

  get connection(): ConnectionState {
    return this.#connection.state;
  }

  async restore(): Promise<Session | undefined> {
    const session = await this.#session.restore();
    this.#session.renewIfStale();
    return session ?? this.#auth.ask();
  }

  async signUp(body: RegisterBody): Promise<Session> {
    return this.#auth.start(await this.api.register(body));
  }

  async signIn(body: LoginBody): Promise<Session> {
    return this.#auth.start(await this.api.login(body));
  }

  async keepAccount(ticket: string): Promise<Session> {
    return this.#auth.start(await this.api.keepAccount(ticket));
  }

  async deleteAccount(): Promise<DeletionAsked> {
    const sessionId = () => this.session && sessionIdOf(this.session.token);
    const before = sessionId();
    const deletion = await this.api.deleteAccount();
    // The service has closed the connection too, so it may have ended already, and another user may have signed in.
    if (sessionId() === before) await this.#session.end('leaving', this.session?.token);
    return deletion;
  }

  signOut(): Promise<void> {
    return this.#auth.end();
  }

  connect(): void {
    if (this.session) this.#connection.connect();
  }

  disconnect(): void {
    this.#connection.disconnect();
  }

  reconnectNow(): void {
    this.#connection.reconnectNow();
  }

  setView({ visible, active }: { visible: boolean; active: boolean }): void {
    if (this.#view?.visible === visible && this.#view.active === active) return;
    this.#view = { visible, active };
    this.#connection.live?.request({ type: 'view', visible, active }).catch(ignore);
  }

  send(
    to: string,
    body: string,
    options: string | SendOptions = {},
    oldDraftKey?: string,
  ): Promise<Outgoing> {
    const named = typeof options === 'string' ? { cid: options } : options;
    const { cid = newCid(), replyTo, picture, draftKey = oldDraftKey } = named;
    const message = { to, cid, body, ...(replyTo !== undefined && { replyTo }) };
    if (!picture) return this.#outbox.write(message, draftKey);
    const { blob, width, height } = picture;
    const type = blob.type as PictureType; // the service refuses any other
    const { size } = blob;
    return this.#outbox.write({ ...message, picture: { type, size, width, height } }, draftKey, picture);
  }

  outgoing(): Outgoing[] {
    return this.#outbox.all();
  }

  outgoingPicture(cid: string, to?: string): Promise<OutgoingPicture | undefined> {
    return this.#outbox.picture(cid, to);
  }

  retry(cid: string, to?: string): void {
    this.#outbox.retry(cid, to);
  }

  discard(cid: string, to?: string): Promise<void> {
    return this.#outbox.discard(cid, to);
  }

  unsend(peer: string, message: OwnMessage): void {
    this.#changes.make({ peer, kind: 'unsend' }, message);
  }

  edit(peer: string, message: OwnMessage, body: string): void {
    this.#changes.make({ peer, kind: 'edit', body }, message);
  }

  react(peer: string, n: number, emoji: string): void {
    this.#changes.make({ peer, kind: 'react', emoji }, n);
  }

  changes(): MessageChange[] {
    return this.#changes.all();
  }

  markRead(peer: string, n: number): void {
    this.#readMarks.mark(peer, n);
  }

  typing(to: string): void {
    this.#typing.send(to);
  }

  watch(userIds: readonly string[]): () => void {
    return this.#presence.watch(userIds);
  }

  presenceOf(userId: string): PresenceState | undefined {
    return this.#presence.stateOf(userId);
  }

  on<E extends DoormanEvent>(event: E, listener: (data: DoormanEvents[E]) => void): () => void {
    return this.#emitter.on(event, listener);
  }

  async #onSessionChange(session: Session | undefined, end: SessionEnd | undefined): Promise<void> {
    const isLost = end !== undefined && end !== 'signed_out';
    const asks = isLost && end !== 'leaving' && this.#auth.asksAgain();
    if (session || asks) this.#connection.suspend();
    else this.#connection.disconnect();
    this.#eventLog.reset();
    this.#readMarks.reset();
    this.#presence.reset();
    this.#typing.reset();
    await this.#queue.open(session?.userId);
    if (isLost) void this.push.release().catch(ignore);
    this.#emitter.emit('session', { session, ...(end && { end }) });
    if (session) this.#connection.resume();
    else if (asks)
      void this.restore()
        .catch(ignore)
        .then(() => this.session ?? this.#connection.disconnect());
  }

  /** The connection lasts as long as the newest token that the service has from it. */
  #sendToken(): void {
    const token = this.session?.token;
    if (token === undefined || token === this.#sentToken || !this.#connection.live) return;
    this.#sentToken = token;
    this.#connection.live.request({ type: 'token', token }).catch(ignore);
  }

  #hello(): object | undefined {
    if (!this.session) return undefined;
    this.#sentToken = this.session.token;
    return {
      token: this.#sentToken,
      ...(this.#device && { device: this.#device }),
      ...this.#eventLog.position,
      ...this.#view,
    };
  }

  #onFrame(socket: Socket, frame: Frame): void {
    if (this.#eventLog.onFrame(socket, frame)) return;
    // docs/protocol.md has the fields of both.
    if (frame.type === 'presence') this.#presence.update(frame.users as PresenceState[]);
    if (frame.type === 'typing') this.#emitter.emit('typing', { from: frame.from as string });
  }

  #onConnectionChange(connection: ConnectionState): void {
    clearInterval(this.#tokenCheck);
    // Without a connection, or an attempt at one, no timer keeps a program from ending; calls check the token too.
    if (connection.state !== 'off' && connection.state !== 'stopped')
      this.#tokenCheck = setInterval(() => this.#session.renewIfStale(), this.#timeouts.tokenCheckMs);
    this.#emitter.emit('connection', connection);
    if (!this.#connection.live) return;
    this.#session.renewIfStale();
    this.#sendToken();
    this.#presence.onLive();
    this.#readMarks.send();
    this.#queue.send();
  }

  #onTabMessage(message: TabMessage): void {
    const userId = this.session?.userId;
    if (message.kind === 'session') {
      if (message.end === 'signed_out') this.#auth.forget();
      void this.#session.restore(message.end);
    } else if (message.kind === 'change') {
      if (message.of === userId) this.#changes.onTabChange(message.change);
    } else if (message.kind === 'with-picture') {
      if (message.of === userId) this.#outbox.onTabMessage(message.outgoing);
    } else if (message.userId === userId) this.#outbox.onTabMessage(message.outgoing);
  }
}

/** For requests whose failure the next connection makes up for. */
function ignore(): void {}
