import type { Part, Queries, SchemaDb, SchemaTx, TimeLimit, Tx } from './db.ts';
import type { Durations } from './durations.ts';

/** Kinds of operations outside and around transactions: what waits in line counts too. */
type Operation = 'query' | 'write' | 'transaction' | 'snapshot';

/**
 * The same database, with the duration of each operation counted, also of those that fail.
 *
 * @param durations by the name that OpenTelemetry gives the database, a space, and the operation
 */
export function measureDb(db: SchemaDb, durations: Durations): SchemaDb {
  const system = db.kind === 'sqlite' ? 'sqlite' : 'postgresql';
  function timed<T>(operation: Operation, work: Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const end = () => durations.add(`${system} ${operation}`, (performance.now() - startedAt) / 1000);
    work.then(end, end);
    return work;
  }

  const twoFlights = db.twoFlights?.bind(db);
  const watchPromotions = db.watchPromotions?.bind(db);
  return {
    kind: db.kind,
    all: <Row>(strings: TemplateStringsArray, ...parts: Part[]) =>
      timed('query', db.all<Row>(strings, ...parts)),
    get: <Row>(strings: TemplateStringsArray, ...parts: Part[]) =>
      timed('query', db.get<Row>(strings, ...parts)),
    run: (strings, ...parts) => timed('write', db.run(strings, ...parts)),
    transaction: <T>(body: (tx: Tx) => Promise<T>) => timed('transaction', db.transaction(body)),
    ...(twoFlights && {
      twoFlights: <Answers, T>(
        look: (tx: Queries) => Promise<Answers>,
        write: (tx: Queries, answers: Answers) => T,
        limit?: TimeLimit<T>,
      ) => timed('transaction', twoFlights(look, write, limit)),
    }),
    snapshot: <T>(body: (snapshot: Queries) => Promise<T>) => timed('snapshot', db.snapshot(body)),
    changeSchema: <T>(body: (tx: SchemaTx) => Promise<T>) => db.changeSchema(body),
    isStatementFault: (error) => db.isStatementFault(error),
    checkHealth: () => db.checkHealth(),
    figures: () => db.figures(),
    ...(watchPromotions && { watchPromotions }),
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  };
}
