import { setTimeout as delay } from 'node:timers/promises';
import { messageImport } from '../../chat/importing/import-messages.ts';
import type { Config } from '../../config/config.ts';
import type { BulkWrites, Queries } from '../../db/db.ts';
import { renewEpoch } from '../../inbox/epoch.ts';
import { blockImport, friendshipImport } from '../../relations/import-relations.ts';
import { type ImportVerdict, type NamedUsers, refuseLine } from '../../users/imported.ts';
import type { Context } from '../context.ts';
import { type Destination, importBatch, isHashed } from './import-batch.ts';
import type { Content, ImportLine, LineKind } from './line.ts';
import { keepServersOut, mayHoldUpServer, type StoppedServer } from './stopped-server.ts';
import { ERASED_LINE } from './user-line.ts';

/** Lines in one batch beside a server on the embedded database: some milliseconds of writing, so that it is not held up. */
const LINES_BESIDE_SERVER = 200;
/** Then between batches. A server that waits to write tries every 5 ms: without a pause its answers take four times as long. */
const PAUSE_MS = 6;
/** A password that is hashed counts as so many lines, so that progress is shown, and little is lost by a kill. */
const WEIGHT_OF_HASH = 10;
/** How many lines more the next batch may have after one had too many. */
const GROWTH_LINES = 10;

export type LineResult = ImportVerdict & { readonly line: number };

/** Lines about two users each: `look` reads all that decides about them, then `write` writes; without a transaction it only decides. */
interface ImportBetween<Line, Facts extends { readonly users: NamedUsers }> {
  look(db: Queries, lines: readonly Line[]): Promise<Facts>;
  write(tx: Queries | null, lines: readonly Line[], facts: Facts, now: number): ImportVerdict[];
}

/** What a dry run reads where there is no database. */
const NOTHING: Queries = { all: async () => [], get: async () => undefined, run: async () => 0 };

/**
 * Stores batches of lines, of one kind each. The first one of friendships, blocks or messages keeps servers out until the importer is
 * disposed, and renews the epoch, as only a snapshot shows them to devices.
 */
export class Importer implements AsyncDisposable {
  readonly #config: Config;
  readonly #context: Context;
  readonly #destination: Destination;
  #bulk: BulkWrites | undefined;
  #stopped: StoppedServer | undefined;
  #maxLines = 0;
  /** Lower after lines were too many for one transaction. */
  #limit = Number.POSITIVE_INFINITY;
  /** Of the lines in the batch that grows. */
  #weight = 0;

  constructor(config: Config, context: Context, destination: Destination) {
    this.#config = config;
    this.#context = context;
    this.#destination = destination;
    this.#setPace();
  }

  /** Whether a line goes into the batch of the one before it. To be asked for each line but the first. */
  fits(before: ImportLine, next: ImportLine): boolean {
    this.#weight += weigh(before);
    return next.kind === before.kind && this.#weight < Math.min(this.#maxLines, this.#limit);
  }

  /** @returns one result for each line, in their order */
  async store(lines: readonly ImportLine[]): Promise<LineResult[]> {
    const { seen } = this.#destination;
    const kind = lines[0]?.kind ?? 'username';
    if (kind !== 'username' && !seen) await this.#stopServers();
    this.#stopped?.assertHeld();
    const read = lines.filter(isRead);
    const verdicts = (
      await this.#storeInParts(
        kind,
        read.map(({ content }) => content),
      )
    ).values();
    const results = lines.map(({ number, content }): LineResult => {
      if (content === ERASED_LINE) return { kind: 'erased', line: number };
      const verdict = 'reason' in content ? refuseLine(content.reason) : verdicts.next().value;
      if (!verdict) throw new Error(`line ${number} has no result`);
      return { ...verdict, line: number };
    });
    this.#bulk?.afterBatch();
    this.#weight = 0;
    this.#limit += GROWTH_LINES;
    if (this.#setPace() && !seen) await delay(PAUSE_MS);
    return results;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stopped?.[Symbol.asyncDispose]();
  }

  async #stopServers(): Promise<void> {
    const { db } = this.#destination;
    if (this.#stopped || !db) return;
    this.#stopped = await keepServersOut(this.#config, this.#context);
    await renewEpoch(db);
  }

  async #storeInParts(kind: LineKind, contents: readonly Content[]): Promise<ImportVerdict[]> {
    try {
      return await this.#storeAll(kind, contents);
    } catch (error) {
      if (contents.length === 1 || !this.#bulk?.isTooLarge(error)) throw error;
      const half = Math.ceil(contents.length / 2);
      this.#limit = half;
      return [
        ...(await this.#storeInParts(kind, contents.slice(0, half))),
        ...(await this.#storeInParts(kind, contents.slice(half))),
      ];
    }
  }

  /** All lines of a batch have the same kind, as {@link fits} says. */
  async #storeAll(kind: LineKind, contents: readonly Content[]): Promise<ImportVerdict[]> {
    if (kind === 'username') return importBatch(this.#destination, contents as Content<'username'>[]);
    if (kind === 'friends') return this.#storeBetween(friendshipImport, contents as Content<'friends'>[]);
    if (kind === 'block') return this.#storeBetween(blockImport, contents as Content<'block'>[]);
    return this.#storeBetween(messageImport, contents as Content<'message'>[]);
  }

  async #storeBetween<Line, Facts extends { readonly users: NamedUsers }>(
    { look, write }: ImportBetween<Line, Facts>,
    lines: readonly Line[],
  ): Promise<ImportVerdict[]> {
    const { db, seen } = this.#destination;
    const now = Date.now();
    if (db && !seen)
      return db.twoFlights(
        (tx) => look(tx, lines),
        (tx, facts) => write(tx, lines, facts, now),
      );
    const facts = await look(db ?? NOTHING, lines);
    const users = { get: (id: string) => facts.users.get(id) ?? seen?.users.get(id) };
    return write(null, lines, { ...facts, users }, now);
  }

  /** Decides how large the next batch is. @returns whether a server may be held up by it */
  #setPace(): boolean {
    const mayHoldUp = !this.#stopped && mayHoldUpServer(this.#config);
    const { db, seen } = this.#destination;
    if (!mayHoldUp && !seen) this.#bulk ??= db?.bulk();
    this.#maxLines = (!mayHoldUp && this.#bulk?.maxRows) || LINES_BESIDE_SERVER;
    return mayHoldUp;
  }
}

function isRead(line: ImportLine): line is ImportLine & { readonly content: Content } {
  return !('reason' in line.content);
}

function weigh({ kind, content }: ImportLine): number {
  const isUser = kind === 'username' && !('reason' in content);
  return isUser && isHashed(content as Content<'username'>) ? WEIGHT_OF_HASH : 1;
}
