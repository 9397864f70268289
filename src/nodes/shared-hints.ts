import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Events, ServiceEvent } from '../events/hints.ts';
import { LOG_EVENTS, type LogEvent } from '../events/log-events.ts';
import type { Membership } from './membership.ts';

const TYPE = 'hints';
/** A longer list is sent in several messages, so that the receiver does not stand still for one. */
const MAX_EVENTS = 64;

type Hint = Extract<ServiceEvent, { type: 'inbox' | 'typing' }>;

const eventShapes = Object.entries(LOG_EVENTS).map(([event, data]) =>
  Type.Object({ seq: Type.Integer(), at: Type.Integer(), event: Type.Literal(event), data }),
);
/** No other event is taken from another node. */
const hintsShape = Compile(
  Type.Array(
    Type.Union([
      Type.Object({
        type: Type.Literal('inbox'),
        userId: Type.String(),
        event: Type.Unsafe<LogEvent>(Type.Union(eventShapes)),
      }),
      Type.Object({ type: Type.Literal('typing'), from: Type.String(), to: Type.String() }),
    ]),
  ),
);

/**
 * Sends hints about the log and about typing to the nodes where the user is connected, and passes on those of other nodes: to
 * each node one message for all of one turn of the event loop.
 */
export class SharedHints {
  readonly #membership: Membership;
  readonly #nodesOf: (userId: string) => Iterable<string>;
  readonly #gathered = new Map<string, Hint[]>();

  /** @param nodesOf the other nodes where a user is connected, as far as this one knows */
  constructor(membership: Membership, events: Events, nodesOf: (userId: string) => Iterable<string>) {
    this.#membership = membership;
    this.#nodesOf = nodesOf;
    events.subscribe((event, origin) => {
      if (origin === 'own' && (event.type === 'inbox' || event.type === 'typing')) this.#gather(event);
    });
    membership.on(TYPE, hintsShape, (_from, hints) => {
      for (const hint of hints) events.receive(hint);
    });
  }

  /** Sends what was gathered, before something that must not overtake it. */
  flush(): void {
    for (const [node, hints] of this.#gathered)
      for (let i = 0; i < hints.length; i += MAX_EVENTS)
        this.#membership.send(node, TYPE, hints.slice(i, i + MAX_EVENTS));
    this.#gathered.clear();
  }

  #gather(hint: Hint): void {
    for (const node of this.#nodesOf(hint.type === 'inbox' ? hint.userId : hint.to)) {
      const hints = this.#gathered.get(node);
      if (hints) hints.push(hint);
      else {
        if (this.#gathered.size === 0) setImmediate(() => this.flush());
        this.#gathered.set(node, [hint]);
      }
    }
  }
}
