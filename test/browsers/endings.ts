/** The context of a test, or `{ after }` of `node:test` for all tests of a group. */
export interface Scope {
  after(end: () => Promise<void> | void): void;
}

const stacks = new WeakMap<Scope, AsyncDisposableStack>();

/**
 * What ends with `scope`, in reverse order of opening: a page is checked and closed before its browser, and before the
 * service. `t.after` alone would use the opposite order.
 */
export function endingsOf(scope: Scope): AsyncDisposableStack {
  const known = stacks.get(scope);
  if (known) return known;
  const stack = new AsyncDisposableStack();
  stacks.set(scope, stack);
  scope.after(async () => {
    try {
      await stack.disposeAsync();
    } catch (error) {
      const all = unfold(error);
      throw all.length > 1 ? new AggregateError(all, all.map(String).join('\n')) : error;
    }
  });
  return stack;
}

/** If several endings fail, each error hides the previous ones. */
function unfold(error: unknown): unknown[] {
  return error instanceof SuppressedError ? [...unfold(error.suppressed), ...unfold(error.error)] : [error];
}
