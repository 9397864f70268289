import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { MirroredUsers } from '../presence/mirrored-users.ts';
import type { Membership } from './membership.ts';
import type { OwnSockets } from './own-presence.ts';

/** An answer about sessions does not wait longer for other nodes. */
const WAIT_MS = 250;

const questionShape = Compile(Type.Object({ question: Type.Integer(), userId: Type.String() }));
const answerShape = Compile(Type.Object({ question: Type.Integer(), sessionIds: Type.Array(Type.String()) }));

interface Question {
  readonly nodes: Set<string>;
  readonly sessionIds: Set<string>;
  readonly end: () => void;
}

/** Asks the other nodes which sessions of a user have an open socket there. */
export class SessionQuestions {
  readonly #membership: Pick<Membership, 'isLinked' | 'on' | 'send'>;
  readonly #mirror: Pick<MirroredUsers, 'nodesOf'>;
  readonly #waitMs: number;
  readonly #questions = new Map<number, Question>();
  #asked = 0;
  #sockets: Pick<OwnSockets, 'sessionsOf'> = { sessionsOf: () => [] };

  constructor(
    membership: Pick<Membership, 'isLinked' | 'on' | 'send'>,
    mirror: Pick<MirroredUsers, 'nodesOf'>,
    waitMs = WAIT_MS,
  ) {
    this.#membership = membership;
    this.#mirror = mirror;
    this.#waitMs = waitMs;
    membership.on('sessions-ask', questionShape, (from, { question, userId }) => {
      membership.send(from, 'sessions', { question, sessionIds: this.#sockets.sessionsOf(userId) });
    });
    membership.on('sessions', answerShape, (from, { question, sessionIds }) =>
      this.#onAnswer(from, question, sessionIds),
    );
  }

  attach(sockets: Pick<OwnSockets, 'sessionsOf'>): void {
    this.#sockets = sockets;
  }

  /** The sessions of the user with an open socket on another node: what is known after 250 ms at most. */
  async find(userId: string): Promise<ReadonlySet<string>> {
    const nodes = this.#membership.isLinked ? this.#mirror.nodesOf(userId) : [];
    const sessionIds = new Set<string>();
    if (nodes.length === 0) return sessionIds;
    const question = ++this.#asked;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#waitMs);
      const end = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#questions.set(question, { nodes: new Set(nodes), sessionIds, end });
      for (const node of nodes) this.#membership.send(node, 'sessions-ask', { question, userId });
    });
    this.#questions.delete(question);
    return sessionIds;
  }

  #onAnswer(from: string, question: number, sessionIds: readonly string[]): void {
    const asked = this.#questions.get(question);
    if (!asked?.nodes.delete(from)) return;
    for (const id of sessionIds) asked.sessionIds.add(id);
    if (asked.nodes.size === 0) asked.end();
  }
}
