/** Waits until the condition is true. `ms` only ends a test that would wait forever. */
export async function eventually(isTrue: () => boolean | Promise<boolean>, ms = 60_000): Promise<void> {
  const givesUpAt = performance.now() + ms;
  while (!(await isTrue())) {
    if (performance.now() > givesUpAt) throw new Error(`not true within ${ms} ms: ${isTrue}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
