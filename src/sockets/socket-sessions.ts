import type { AccountServices } from '../accounts/account-services.ts';
import type { Clock } from '../clock.ts';
import type { Db } from '../db/db.ts';
import { ServiceError } from '../errors.ts';
import { refusal } from '../http/errors.ts';
import type { ProxyWarnings } from '../http/log/proxy-warnings.ts';
import type { InboxServices } from '../inbox/inbox-services.ts';
import type { PresenceServices } from '../presence/presence-services.ts';
import { findStart } from '../sync/start.ts';
import type { Connection } from './connection.ts';
import { MAX_FRAME_BYTES } from './frames.ts';
import type { Hello, Welcome } from './frames-in.ts';
import { HEARTBEAT_MS } from './heartbeat.ts';
import type { LiveConnections } from './live-connections.ts';
import { SocketSession } from './socket-session.ts';

export interface SessionServices {
  readonly accounts: Pick<AccountServices, 'authentication'>;
  readonly clock: Clock;
  readonly db: Db;
  readonly inbox: InboxServices;
  readonly limits: { readonly proxyWarnings: Pick<ProxyWarnings, 'look' | 'noteUser'> };
  readonly presence: Pick<PresenceServices, 'online' | 'watchers'>;
}

/** Opens the session of a connection at its `hello`, and ends it when the connection leaves: with each room that has to know. */
export class SocketSessions {
  readonly #services: SessionServices;
  readonly #live: LiveConnections;

  constructor(services: SessionServices, live: LiveConnections) {
    this.#services = services;
    this.#live = live;
  }

  /** Ends the session of a connection that leaves. */
  leave({ session }: Connection): void {
    if (!session) return;
    const { inbox, presence } = this.#services;
    session.leave();
    inbox.delivery.leave(session);
    presence.watchers.leave(session);
    presence.online.remove(session.userId, session, session.saidGoodbye);
  }

  /** Answers `hello`. @returns no reply if the connection ended meanwhile */
  async welcome(from: Connection, hello: Hello): Promise<Welcome | undefined> {
    const { accounts, clock, db, inbox, limits, presence } = this.#services;
    if (from.session) throw new ServiceError('invalid', 'hello_twice', '不能重复发送 hello');
    const { token = '' } = hello;
    for (;;) {
      const known = await accounts.authentication.identify(token, () => from.address ?? '');
      if (!known) throw refusal('unauthenticated', 'unauthenticated');
      const start = await findStart(db, known.userId, () => inbox.epoch, hello);
      // The session may have ended since the database was read. A remembered token is forgotten at once when its
      // session ends, and nothing is awaited from here on: a later end finds this connection and closes it.
      const caller = accounts.authentication.confirm(token);
      // So may the epoch have been renewed.
      if (!caller || start.epoch !== inbox.epoch) continue;
      if (!from.isOpen) return undefined;
      const session = new SocketSession(from, caller, hello, start, clock.now(), presence.watchers);
      from.session = session;
      limits.proxyWarnings.noteUser(session.userId, from.address ?? '');
      from.heartbeat.start(clock.monotonicMs());
      this.#live.settle(from);
      presence.online.add(session.userId, session);
      return {
        userId: caller.userId,
        session: caller.sessionId,
        epoch: start.epoch,
        seq: start.head,
        resumed: start.resumed,
        heartbeat: HEARTBEAT_MS,
        maxFrame: MAX_FRAME_BYTES,
      };
    }
  }

  /**
   * After the reply to `hello`: writes the events that the device has missed, then each new one.
   *
   * @param reply undefined if the connection ended before it
   */
  serve({ hasLeft, session }: Connection, reply: Welcome | undefined): void {
    if (hasLeft || !session || !reply) return;
    const { delivery, epoch } = this.#services.inbox;
    // The reply may have waited while the epoch was renewed.
    if (reply.epoch === epoch) delivery.join(session, session.seq, reply.seq);
    else session.overflow();
  }
}
