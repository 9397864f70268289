/** Runs the actions of one key one after the other: two requests at once may arrive at the service in either order. */
export class SerialQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(key: string, action: () => Promise<T>): Promise<T> {
    const previous = this.#last.get(key) ?? Promise.resolve();
    const result = previous.then(action);
    const settled = result.then(
      () => {},
      () => {}, // the caller gets the error
    );
    this.#last.set(key, settled);
    void settled.then(() => {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    });
    return result;
  }
}
