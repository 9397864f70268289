import { Durations } from '../collections/durations.ts';
import type { SchemaDb } from './db.ts';

/** Kinds of operations outside and around transactions, by method: what waits in line counts too. */
const OPERATIONS = {
  all: 'query',
  get: 'query',
  run: 'write',
  transaction: 'transaction',
  twoFlights: 'transaction',
  snapshot: 'snapshot',
};

/** Bounds that OpenTelemetry advises for a database, in seconds. */
const BOUNDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** Counts how long each operation of a database takes from here on, also those that fail. Its figures get the counts. */
export function measureDb(db: SchemaDb): void {
  const durations = new Durations(BOUNDS);
  const system = db.kind === 'sqlite' ? 'sqlite' : 'postgresql';
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    const method = Reflect.get(db, name).bind(db);
    const measured = (...given: unknown[]) => {
      const startedAt = performance.now();
      const end = () => durations.add(`${system} ${operation}`, (performance.now() - startedAt) / 1000);
      const work: Promise<unknown> = method(...given);
      work.then(end, end);
      return work;
    };
    Object.assign(db, { [name]: measured });
  }
  const readFigures = db.figures.bind(db);
  db.figures = () => ({ ...readFigures(), durations });
}
