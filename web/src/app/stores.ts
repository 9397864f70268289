import type { ConnectionState, Doorman, Session, SessionEnd, Snapshot } from 'doorman-client';
import { type BrowserEnvironment, browserEnvironment } from '../data/browser-environment.ts';
import { Offline } from '../data/offline.ts';
import { PreviewCache } from '../data/preview-cache.ts';
import { RegistrationStore } from '../data/registration.ts';
import { RequestQueue } from '../data/request-queue.ts';
import { Store } from '../data/store.ts';
import type { BaseStores, SessionStore } from '../data/stores.ts';
import type { ConnectionView, Freshness, SessionView } from '../data/views.ts';
import { OwnAccount } from '../features/account/model/own-account.ts';
import { Chats } from '../features/chat/model/chats.ts';
import { Blocks } from '../features/contacts/model/blocks.ts';
import { Friends } from '../features/contacts/model/friends.ts';
import type { Named } from '../features/contacts/model/name-cache.ts';
import { People } from '../features/contacts/model/people.ts';
import { Presence } from '../features/contacts/model/presence.ts';
import { AppBadge } from './app-badge.ts';
import { persistenceSources, restoreList } from './persisted-state.ts';
import { Persistence } from './persistence.ts';

/**
 * The state and the actions of the page, without React, over a kit that only the page starts and listens to; the `hooks.ts` of
 * each feature give them to components. Gives the kit's events to the stores, and clears and restores them for each user.
 * Actions that the service refuses reject with `DoormanError`, and what they have shown beforehand is undone.
 */
export class Stores implements BaseStores {
  readonly doorman: Doorman;
  readonly session: SessionStore;
  readonly registration: RegistrationStore;
  readonly connection: Store<ConnectionView>;
  readonly offline = new Offline();
  readonly freshness = new Store<Freshness>('none');
  readonly previews = new PreviewCache();
  readonly chats: Chats;
  readonly people: People;
  readonly presence: Presence;
  readonly friends: Friends;
  readonly blocks: Blocks;
  readonly ownAccount: OwnAccount;
  readonly #environment: BrowserEnvironment;
  readonly #session = new Store<SessionView>({ state: 'restoring' });
  readonly #queue = new RequestQueue();
  readonly #persistence: Persistence;
  readonly #endings: (() => void)[] = [];
  /** Of the database that message numbers belong to; empty until it is known. */
  #epoch = '';
  #current: Session | undefined;
  /** Ends when the stored data of the current user is shown. */
  #opening: Promise<void> | undefined;
  /** A try to connect has failed since the connection was live. */
  #isCutOff = false;
  #isTakingSnapshot = false;
  readonly #badge: AppBadge;

  constructor(doorman: Doorman, environment: BrowserEnvironment = browserEnvironment()) {
    this.doorman = doorman;
    this.#environment = environment;
    this.#badge = new AppBadge(environment);
    this.registration = new RegistrationStore(() => doorman.api.options());
    this.connection = new Store<ConnectionView>(doorman.connection);
    this.#persistence = new Persistence(
      doorman.storage,
      persistenceSources(this, () => this.#epoch),
    );
    const queue = this.#queue;
    const isBlocked = (userId: string) => this.blocks.has(userId);
    const persistList = () => this.#persistence.markChanged('list');
    const onPeople = (people: readonly Named[]) => this.people.names.add(people);
    this.people = new People({ doorman, queue, persistNames: () => this.#persistence.markChanged('names') });
    this.presence = new Presence({ doorman, isBlocked, offline: this.offline });
    this.friends = new Friends({ doorman, queue, isBlocked, persistList, onPeople });
    this.blocks = new Blocks({
      doorman,
      queue,
      persistList,
      onPeople,
      onBlockChange: (userId, isBlocked) => this.#onBlockChange(userId, isBlocked),
    });
    this.ownAccount = new OwnAccount({ doorman, queue, persistList });
    this.chats = new Chats({
      doorman,
      queue,
      isBlocked,
      persistList,
      onPeople,
      forgetPictures: (peer, isGone) => void this.previews.forget(peer, isGone),
      ownId: () => doorman.session?.userId ?? '',
      isFresh: () => this.freshness.getSnapshot() === 'fresh',
      isCutOff: () => this.#isCutOff,
      isAttended: () => environment.isAttended(),
      isInFront: () => environment.isInFront(),
      persistDraft: (peer) => this.#persistence.markDraftChanged(peer),
      draftKey: (peer) => this.#persistence.draftKey(peer),
      persistThread: (peer) => this.#persistence.markThreadChanged(peer),
      closeNotifications: (peer) => environment.closeNotifications((of) => of === peer),
    });
    this.session = {
      getSnapshot: this.#session.getSnapshot,
      subscribe: this.#session.subscribe,
      signUp: async (body) => {
        try {
          await doorman.signUp(body);
        } catch (error) {
          this.registration.onRefused(error);
          throw error;
        }
      },
      signIn: async (body) => void (await doorman.signIn(body)),
      signOut: () => doorman.signOut(),
    };
    this.#listen();
  }

  /** Restores the session, shows what is stored, and connects. To be called once. */
  async start(): Promise<void> {
    this.#endings.push(this.#environment.trackActivity(this.doorman));
    // A restored session is also an event, which opens it.
    const session = await this.doorman.restore();
    await this.#opening;
    if (session || this.#session.getSnapshot().state !== 'restoring') return;
    this.#session.set({ state: 'signed_out' });
    await Promise.all([this.previews.open(undefined), this.#persistence.wipe({ exceptDrafts: true })]);
  }

  /** Writes all changes to the storage. */
  flush(): Promise<void> {
    return this.#persistence.flush();
  }

  /** Ends timers and listeners, but not the doorman; for tests. */
  async close(): Promise<void> {
    for (const end of this.#endings.splice(0)) end();
    this.#queue.cancelAll();
    this.offline.close();
    this.chats.close();
    await this.#persistence.flush();
  }

  #listen(): void {
    const { doorman, chats, people, presence, friends, blocks, ownAccount } = this;
    const { onAttention, onHidden, onNetwork } = this.#environment;
    this.#endings.push(
      doorman.on('session', ({ session, end }) => this.#onSession(session, end)),
      doorman.on('connection', (connection) => this.#onConnection(connection)),
      doorman.on('snapshot', (snapshot) => this.#onSnapshot(snapshot)),
      doorman.on('message', (event) => {
        this.people.noteUser(event.peer);
        chats.onMessage(event);
      }),
      doorman.on('message_request', (event) => chats.requests.onEvent(event)),
      doorman.on('unsent', (event) => chats.onUnsent(event)),
      doorman.on('edited', (event) => chats.onEdited(event)),
      doorman.on('reaction', (event) => chats.onReaction(event)),
      doorman.on('change', (change) => chats.onOwnChange(change)),
      doorman.on('marked', (event) => chats.onMark(event)),
      doorman.on('conversation', (event) => chats.known.onSettings(event)),
      doorman.on('outgoing', (outgoing) => chats.onOutgoing(outgoing)),
      doorman.on('typing', ({ from }) => {
        if (!blocks.has(from)) chats.typing.start(from);
      }),
      doorman.on('presence', (states) => presence.onPresence(states)),
      doorman.on('friend', (event) => {
        this.people.noteUser(event.userId);
        friends.onEvent(event, Date.now());
      }),
      doorman.on('block', ({ userId, seq }) => {
        blocks.onEvent(userId, true);
        friends.onBlockEvent(userId, seq);
      }),
      doorman.on('unblock', ({ userId }) => blocks.onEvent(userId, false)),
      doorman.on('profile', ({ seq: _seq, ...profile }) => {
        ownAccount.onProfile(profile);
        people.names.add([profile]);
      }),
      doorman.on('settings', (settings) => ownAccount.onSettings(settings)),
      doorman.on('account', (event) => ownAccount.newSignIn.set(event)),
      onAttention((isAttended) => {
        if (isAttended) chats.onAttended();
      }),
      onHidden(() => void this.#persistence.flush()),
      onNetwork((hasNetwork) => this.offline.onNetwork(hasNetwork)),
      chats.unreadTotal.subscribe(() => this.#badge.show(chats.unreadTotal.getSnapshot())),
    );
  }

  #onSession(session: Session | undefined, end: SessionEnd | undefined): void {
    if (session && session.userId === this.#current?.userId) {
      // The same user has signed in again: the stores stay, and a snapshot follows.
      this.#session.set({ state: 'signed_in', session });
      return;
    }
    // After these two the kit keeps unsent messages for the user's return; drafts stay likewise.
    const exceptDrafts = end === 'expired' || end === 'suspended';
    if (exceptDrafts) void this.#persistence.flush();
    this.#clear();
    this.#current = session;
    void this.previews.open(session?.userId);
    if (session) {
      this.#opening = this.#open(session);
      return;
    }
    this.#session.set({ state: 'signed_out', ...(end && { end }) });
    this.#environment.closeNotifications(() => true);
    void this.#persistence.wipe({ exceptDrafts });
  }

  /** Shows what is stored of the user, and connects. */
  async #open(session: Session): Promise<void> {
    const { userId } = session;
    const persisted = await this.#persistence.open(userId);
    if (this.#current !== session) return;
    const { chats, people } = this;
    chats.drafts.restore(persisted.drafts);
    for (const { at, ...named } of persisted.names) people.names.add([named], at);
    // With a connection that another tab opened, the snapshot may have come first.
    if (persisted.list && this.freshness.getSnapshot() === 'none') {
      this.#epoch = persisted.list.epoch;
      this.freshness.set('stored');
      restoreList(this, persisted.list);
      for (const thread of persisted.threads)
        if (thread.epoch === this.#epoch) chats.thread(thread.peer).restore(thread);
    }
    chats.onOutgoing();
    this.#session.set({ state: 'signed_in', session });
    this.doorman.connect();
  }

  #onSnapshot(snapshot: Snapshot): void {
    const { epoch, profile, settings, blocks, conversations, pinned, people, next } = snapshot;
    const isOtherDatabase = this.#epoch !== '' && this.#epoch !== epoch;
    this.#epoch = epoch;
    this.freshness.set('fresh');
    this.#isTakingSnapshot = true;
    this.ownAccount.onProfile(profile);
    this.ownAccount.onSettings(settings);
    const named = new Set(people.map(({ id }) => id));
    // Only deleted users are left out, whose names this device may have.
    for (const { peer } of [...conversations, ...pinned])
      if (!named.has(peer)) this.people.names.markGone(peer);
    this.people.names.add([profile, ...people]);
    this.blocks.onSnapshot(blocks, next.blocks);
    this.friends.onSnapshot(snapshot);
    this.chats.onSnapshot(snapshot, isOtherDatabase);
    this.#isTakingSnapshot = false;
    this.#badge.show(this.chats.unreadTotal.getSnapshot(), { force: true });
    const unread = new Map(conversations.map((one) => [one.peer, one.unread]));
    // For a conversation on a later page it is unknown: its notifications stay.
    const unlisted = next.conversations === undefined ? 0 : 1;
    this.#environment.closeNotifications((peer) => (unread.get(peer) ?? unlisted) === 0);
  }

  #onConnection(connection: ConnectionState): void {
    const isLive = connection.state === 'live';
    if (connection.state !== 'connecting') this.#isCutOff = !isLive;
    this.connection.set(connection);
    this.offline.onConnection(connection.state);
    this.chats.onConnection(isLive);
    if (!isLive) return;
    for (const store of [this.people, this.friends, this.blocks]) store.onLive();
  }

  #onBlockChange(userId: string, isBlocked: boolean): void {
    // A snapshot includes what a block held back.
    this.chats.onBlock(userId, isBlocked || this.#isTakingSnapshot);
    this.presence.onBlock(userId);
    this.friends.onHiddenChange(userId);
    if (isBlocked) this.#environment.closeNotifications((peer) => peer === userId);
  }

  /** Removes everything of the previous user from memory, and drops answers to them. */
  #clear(): void {
    this.#queue.cancelAll();
    this.#epoch = '';
    this.freshness.set('none');
    this.chats.clear();
    this.people.clear();
    this.blocks.clear();
    this.friends.clear();
    this.ownAccount.clear();
    this.presence.clear();
    this.#badge.show(0);
  }
}
