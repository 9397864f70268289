/** Waits until `work` settles or `ms` milliseconds have passed. @throws what `work` throws in time */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise: timeUp, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  try {
    await Promise.race([work, timeUp]);
  } finally {
    clearTimeout(timer);
  }
}
