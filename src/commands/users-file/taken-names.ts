import { DatabaseSync } from 'node:sqlite';

/** The names that a dry run took, in a temporary SQLite file, so that a million of them need no memory. */
export class TakenNames implements Disposable {
  // SQLite removes a database without a name when it is closed.
  readonly #file = new DatabaseSync('');
  readonly #insert;
  readonly #select;

  constructor() {
    this.#file.exec(
      'create table names (key text primary key not null, name text not null) strict, without rowid',
    );
    this.#insert = this.#file.prepare('insert into names (key, name) values (?, ?)');
    this.#select = this.#file.prepare('select name from names where key = ?');
  }

  add(names: ReadonlyMap<string, string>): void {
    this.#file.exec('begin');
    for (const [key, name] of names) this.#insert.run(key, name);
    this.#file.exec('commit');
  }

  find(keys: readonly string[]): Map<string, string> {
    const found = new Map<string, string>();
    for (const key of keys) {
      const name = this.#select.get(key)?.name;
      if (typeof name === 'string') found.set(key, name);
    }
    return found;
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }
}
