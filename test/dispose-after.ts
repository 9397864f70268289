/** The context of a test, or of several. */
export interface Scope {
  after(end: () => Promise<void>): void;
}

/**
 * Disposes of `resource` when the test ends, and then holds it no longer. What a closure given to `t.after` captures stays in
 * memory until the process ends: for a service 24 MB of reserved addresses, which make the garbage collector run often.
 */
export function disposeAfter(t: Scope, resource: AsyncDisposable): void {
  let held: AsyncDisposable | undefined = resource;
  t.after(async () => {
    const ending = held;
    held = undefined;
    await ending?.[Symbol.asyncDispose]();
  });
}
