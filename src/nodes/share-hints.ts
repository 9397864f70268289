import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Events, ServiceEvent } from '../events/hints.ts';
import { LOG_EVENTS, type LogEvent } from '../events/log-events.ts';
import type { OnlineUsers } from '../presence/online-users.ts';
import type { Membership } from './membership.ts';

const TYPE = 'hints';
/** A longer list is sent in several messages, so that the receiver does not stand still for one. */
const MAX_EVENTS = 64;

type ConnectedUsers = Pick<OnlineUsers, 'elsewhere'>;
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
 *
 * @returns what sends those that were gathered, before something that must not overtake them
 */
export function shareHints(membership: Membership, events: Events, online: ConnectedUsers): () => void {
  const gathered = new Map<string, Hint[]>();

  function flush(): void {
    for (const [node, hints] of gathered)
      for (let i = 0; i < hints.length; i += MAX_EVENTS)
        membership.send(node, TYPE, hints.slice(i, i + MAX_EVENTS));
    gathered.clear();
  }

  events.subscribe((event, origin) => {
    if (origin !== 'own' || (event.type !== 'inbox' && event.type !== 'typing')) return;
    const userId = event.type === 'inbox' ? event.userId : event.to;
    for (const node of new Set(online.elsewhere(userId).map((connection) => connection.node))) {
      const hints = gathered.get(node);
      if (hints) hints.push(event);
      else {
        if (gathered.size === 0) setImmediate(flush);
        gathered.set(node, [event]);
      }
    }
  });
  membership.handle(TYPE, hintsShape, (_from, hints) => {
    for (const hint of hints) events.receive(hint);
  });
  return flush;
}
