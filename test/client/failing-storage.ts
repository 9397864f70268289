import type { KitStorage, StorageChange } from 'doorman-client';
import { MemoryStorage } from 'doorman-client/testing';

export const OPERATIONS = ['get', 'set', 'delete', 'write', 'all', 'clear'] as const;
export type Operation = (typeof OPERATIONS)[number];

export const FAILURES = ['hangs', 'rejects', 'throws'] as const;
export type Failure = (typeof FAILURES)[number];

/** A storage whose operations fail from a moment on that the test chooses. */
export class FailingStorage implements KitStorage {
  readonly name: string | undefined;
  readonly disk: KitStorage;
  readonly error = new Error('the disk failed');
  /** How many operations failed. */
  failed = 0;
  readonly #failing = new Map<Operation, Failure>();
  #hung: (() => void)[] = [];

  constructor(disk: KitStorage = new MemoryStorage(), name?: string) {
    this.disk = disk;
    this.name = name;
  }

  fail(failure: Failure, ...operations: readonly Operation[]): void {
    for (const operation of operations) this.#failing.set(operation, failure);
  }

  /** Operations work again, and those that hung are done now, in their order. */
  recover(): void {
    this.#failing.clear();
    for (const act of this.#hung.splice(0)) act();
  }

  get(key: string): Promise<unknown> {
    return this.#do('get', () => this.disk.get(key));
  }

  set(key: string, value: unknown): Promise<void> {
    return this.#do('set', () => this.disk.set(key, value));
  }

  delete(key: string): Promise<void> {
    return this.#do('delete', () => this.disk.delete(key));
  }

  write(changes: readonly StorageChange[]): Promise<void> {
    return this.#do('write', () => this.disk.write(changes));
  }

  all(prefix: string): Promise<[key: string, value: unknown][]> {
    return this.#do('all', () => this.disk.all(prefix));
  }

  clear(): Promise<void> {
    return this.#do('clear', () => this.disk.clear());
  }

  #do<T>(operation: Operation, act: () => Promise<T>): Promise<T> {
    const failure = this.#failing.get(operation);
    if (failure === undefined) return act();
    this.failed += 1;
    if (failure === 'throws') throw this.error;
    if (failure === 'rejects') return Promise.reject(this.error);
    return new Promise((resolve) => {
      this.#hung.push(() => resolve(act()));
    });
  }
}
