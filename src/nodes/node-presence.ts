import type { AccountServices } from '../accounts/account-services.ts';
import type { Clock } from '../clock.ts';
import type { PresenceServices } from '../presence/presence-services.ts';
import type { PushServices } from '../push/push-services.ts';
import type { Membership } from './membership.ts';
import { OwnPresence, type OwnSockets, PRESENCE_TIMES, type PresenceTimes } from './own-presence.ts';
import { PresenceMirror } from './presence-mirror.ts';
import { SessionQuestions } from './session-questions.ts';

/** The parts of `Services` that nodes exchange presence about. */
export interface SharedServices {
  readonly accounts: Pick<AccountServices, 'openSockets'>;
  readonly presence: Pick<PresenceServices, 'local' | 'mirror'>;
  readonly push: Pick<PushServices, 'attention'>;
}

/** Which users are connected to which node, and how: sends what this node has, and mirrors what the others have. */
export class NodePresence implements Disposable {
  readonly #membership: Membership;
  readonly #own: OwnPresence;
  readonly #mirror: PresenceMirror;
  readonly #questions: SessionQuestions;

  constructor(
    membership: Membership,
    { accounts, presence, push }: SharedServices,
    clock: Clock,
    times: PresenceTimes = PRESENCE_TIMES,
  ) {
    const { local, mirror } = presence;
    this.#membership = membership;
    this.#own = new OwnPresence(membership, local, push.attention, clock, times);
    this.#mirror = new PresenceMirror(membership, mirror, this.#own, clock, times);
    this.#questions = new SessionQuestions(membership, mirror);
    accounts.openSockets.askElsewhere((userId) => this.#questions.find(userId));
    // Without the link the mirror says what was: the push waits as if a device were attentive.
    push.attention.askElsewhere((userId) => !membership.isLinked || mirror.isAttentive(userId));
  }

  /** @param sockets those of this process; called once they are open */
  attach(sockets: OwnSockets): void {
    this.#own.attach(sockets);
    this.#questions.attach(sockets);
  }

  /** Joins the others under a new name, after a stall in which they may have given this node up. */
  rename(): void {
    this.#membership.rename();
    this.#mirror.rename();
  }

  /** Sends what changed last. */
  [Symbol.dispose](): void {
    this.#own[Symbol.dispose]();
    this.#mirror[Symbol.dispose]();
  }
}
