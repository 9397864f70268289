/** Acts on the same thing one after the other: two calls at once may arrive in either order. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  take<T>(key: string, act: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const result = before.then(act);
    const settled = result.then(
      () => {},
      () => {}, // whoever asked hears of it
    );
    this.#last.set(key, settled);
    void settled.then(() => {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    });
    return result;
  }
}
