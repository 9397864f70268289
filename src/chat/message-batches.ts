import { setTimeout as delay, setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { overloaded } from '../errors.ts';
import type { Inboxes } from '../inbox/inbox.ts';
import { type AcceptedMessage, eventsOf, type SentMessage, type Verdict } from './judge-messages.ts';
import type { Stored } from './schemas.ts';
import { type Line, storeMessages } from './store-messages.ts';

const MAX_WAITING = 1_000;
/** The limit of a batch, so that inboxes that stay locked do not keep other messages waiting. */
const BATCH_HELD = 32;
/** The interval at which a message with a locked inbox is retried, and for how long. */
const HELD_RETRY_MS = 5;
const HELD_LONGEST_MS = 3_000;
/** After which it waits in line for that inbox, with the others that do, and how long at most. */
const IN_LINE_AFTER_MS = 100;
const IN_LINE_LONGEST_MS = 1_000;
/** Batches in line at once: each takes one of the ten connections for transactions. */
const MAX_IN_LINE = 3;
/** After a fault, messages that have waited longer are not tried: a table that is locked or a server that is away fails each try late. */
const FAULT_LONGEST_MS = 5_000;

interface Waiting {
  readonly message: SentMessage;
  readonly queuedAt: number;
  /** By `performance.now`, which goes on where a test's clock stands still. */
  retryAt: number;
  /** Whose inbox another transaction has locked, and since when it does not wait in line. */
  held: { readonly by: string; readonly since: number } | undefined;
  resolve(stored: Stored | Promise<Stored>): void;
  reject(error: unknown): void;
}

/**
 * Stores messages in batches: while one is under way, those that arrive gather for the next, so that many senders share one
 * commit. It waits for no inbox. Messages whose inbox is locked again and again go in batches of their own beside the others, which wait in
 * line for it. Each message is judged by itself (`judge-messages.ts`), and each answer comes after the commit that stored it and after
 * its events were published.
 */
export class MessageBatches {
  readonly #inboxes: Inboxes;
  readonly #monotonicMs: () => number;
  #waiting: Waiting[] = [];
  /** Messages whose inbox another transaction has locked. */
  #held: Waiting[] = [];
  /** The inboxes that batches wait in line for, one each, and how many messages these have. */
  readonly #inLine = new Set<string>();
  #inLineCount = 0;
  #isWorking = false;

  constructor(inboxes: Inboxes, monotonicMs: () => number) {
    this.#inboxes = inboxes;
    this.#monotonicMs = monotonicMs;
  }

  /**
   * Stores a message in both users' logs and in their history, durably, and only once per (sender, `cid`) however often it is
   * sent.
   *
   * @throws {ServiceError} the refusals of `judgeMessages`; `rate-limited`, word `overloaded`, when 1,000 messages wait, or when
   *   another transaction has locked one of the inboxes for 3 s, or when it has waited for 5 s while others failed
   * @throws {Error} a fault of the database; the message may be stored, and a repeat with its `cid` resolves that
   */
  async send(message: SentMessage): Promise<Stored> {
    if (this.#waiting.length + this.#held.length + this.#inLineCount >= MAX_WAITING) throw overloaded();
    const { promise, resolve, reject } = Promise.withResolvers<Stored>();
    this.#waiting.push({
      message,
      queuedAt: this.#monotonicMs(),
      retryAt: 0,
      held: undefined,
      resolve,
      reject,
    });
    if (!this.#isWorking) void this.#work();
    return promise;
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    while (this.#waiting.length + this.#held.length > 0) {
      // What arrives in the same turn of the event loop joins the batch.
      await yieldToEventLoop();
      this.#putInLine();
      const batch = this.#takeBatch();
      if (batch.length > 0) await this.#storeBatch(batch);
      else await delay(HELD_RETRY_MS);
    }
    this.#isWorking = false;
  }

  #takeBatch(): Waiting[] {
    const now = performance.now();
    const due = this.#held.filter((one) => one.retryAt <= now).slice(0, BATCH_HELD);
    this.#held = this.#held.filter((one) => !due.includes(one));
    return [...due, ...this.#waiting.splice(0, this.#inboxes.db.maxBatch - due.length)];
  }

  /** Starts batches in line, first for the messages that have been held the longest. */
  #putInLine(): void {
    const now = this.#monotonicMs();
    const leftMs = ({ queuedAt }: Waiting) => HELD_LONGEST_MS - (now - queuedAt);
    const held = this.#held
      .filter((one) => leftMs(one) > 0)
      .sort((a, b) => (a.held?.since ?? now) - (b.held?.since ?? now));
    for (const { held: first } of held) {
      if (this.#inLine.size === MAX_IN_LINE) return;
      if (!first || this.#inLine.has(first.by) || now - first.since < IN_LINE_AFTER_MS) continue;
      const batch = held.filter((one) => one.held?.by === first.by).slice(0, this.#inboxes.db.maxBatch);
      const waitMs = Math.ceil(Math.min(IN_LINE_LONGEST_MS, ...batch.map(leftMs)));
      this.#held = this.#held.filter((one) => !batch.includes(one));
      void this.#storeInLine(batch, { inbox: first.by, waitMs });
    }
  }

  async #storeInLine(batch: readonly Waiting[], line: Line): Promise<void> {
    this.#inLine.add(line.inbox);
    this.#inLineCount += batch.length;
    for (const one of batch) one.held = undefined;
    await this.#storeBatch(batch, { line });
    this.#inLine.delete(line.inbox);
    this.#inLineCount -= batch.length;
    if (!this.#isWorking) void this.#work();
  }

  async #storeBatch(
    batch: readonly Waiting[],
    { isLastTry = false, line }: { isLastTry?: boolean; line?: Line } = {},
  ): Promise<void> {
    let verdicts: Verdict[];
    try {
      verdicts = await storeMessages(
        this.#inboxes.db,
        batch.map((one) => one.message),
        line,
      );
    } catch (error) {
      // A message that the database refuses fails alone. Retry even a batch of one: another client of the database may have inserted the
      // same `cid` after our lookup.
      const isTriedAgain = !isLastTry && this.#inboxes.db.isStatementFault(error);
      for (const one of batch)
        if (isTriedAgain && !this.#isLate(one)) await this.#storeBatch([one], { isLastTry: true });
        else one.reject(error);
      this.#refuseLate();
      return;
    }
    for (const [at, verdict] of verdicts.entries()) {
      const one = batch[at];
      if (one) this.#settle(one, verdict);
    }
  }

  #isLate({ queuedAt }: Waiting): boolean {
    return this.#monotonicMs() - queuedAt > FAULT_LONGEST_MS;
  }

  #refuseLate(): void {
    const { late = [], others = [] } = Object.groupBy(this.#waiting, (one) =>
      this.#isLate(one) ? 'late' : 'others',
    );
    this.#waiting = others;
    for (const one of late) one.reject(overloaded());
  }

  #settle(one: Waiting, verdict: Verdict): void {
    if ('accepted' in verdict) this.#answer(one, verdict.accepted);
    else if ('repeated' in verdict) one.resolve(verdict.repeated);
    else if ('refused' in verdict) one.reject(verdict.refused);
    else {
      const now = this.#monotonicMs();
      if (now - one.queuedAt > HELD_LONGEST_MS) one.reject(overloaded());
      else {
        one.retryAt = performance.now() + HELD_RETRY_MS;
        one.held = { by: verdict.heldBy, since: one.held?.since ?? now };
        this.#held.push(one);
      }
    }
  }

  /** The promise resolves when all events of the batch are published, as its readers run after this turn. */
  #answer(one: Waiting, accepted: AcceptedMessage): void {
    const { to, n, at, change } = accepted;
    const { events } = this.#inboxes;
    const stored = { peer: to, n, at, duplicate: false };
    try {
      if (change) events.publish(change.event);
      for (const event of eventsOf(accepted)) events.publish({ type: 'inbox', ...event });
      one.resolve(change ? events.shareChanges([change.id]).then(() => stored) : stored);
    } catch (error) {
      one.reject(error);
    }
  }
}
