/** One line for the operator: the error's message; if it has none, that of its first error or its cause. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== '') return error.message;
  const [first] = error instanceof AggregateError ? error.errors : [error.cause];
  return first === undefined ? error.name : explain(first);
}
