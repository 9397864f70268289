/** What went wrong, in one line for the operator: the message of an error, or of the first that it gathers or comes from. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== '') return error.message;
  const [first] = error instanceof AggregateError ? error.errors : [error.cause];
  return first === undefined ? error.name : explain(first);
}
