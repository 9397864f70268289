/** A test's context, or `{ after }` of `node:test` for what all tests of a group share. */
export interface Scope {
  after(end: () => Promise<void> | void): void;
}

const stacks = new WeakMap<Scope, AsyncDisposableStack>();

/**
 * What is to be ended with `scope`, the last thing opened first: a page is judged and closed before the browser it is in,
 * and before the service that it talks to. `t.after` alone would go the other way round.
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

/** Several endings may fail, and each failure hides the ones before. */
function unfold(error: unknown): unknown[] {
  return error instanceof SuppressedError ? [...unfold(error.suppressed), ...unfold(error.error)] : [error];
}
