/**
 * Raised only when everything that an older version of the page stored is to be removed, drafts included. For a changed field a
 * changed shape is enough: what does not have that shape is dropped and fetched again.
 */
const VERSION = 1;

/** Checks a value that was read from the storage. */
type Shape<T> = (value: unknown) => value is T;

/** With what the keys of a user's own entries begin. The id is escaped, as it may have colons. */
export function keyPrefix(userId: string): string {
  return `page:${encodeURIComponent(userId)}:`;
}

/** Where the picker of emoji stores what the user chose last. */
export function emojiKey(userId: string): string {
  return `${keyPrefix(userId)}emoji`;
}

/** Adds the version and the user, which {@link unpack} checks. */
export function pack(userId: string, value: object): object {
  return { version: VERSION, userId, value };
}

/** The value that this version of the page stored for this user; `undefined` for anything else. */
export function unpack<T>(packed: unknown, userId: string, isShape: Shape<T>): T | undefined {
  if (!isRecord(packed) || packed.version !== VERSION || packed.userId !== userId) return undefined;
  return isShape(packed.value) ? packed.value : undefined;
}

export function record<T>(fields: { [F in keyof T]-?: (value: unknown) => boolean }): Shape<T> {
  const checks = Object.entries<(value: unknown) => boolean>(fields);
  return (value): value is T => isRecord(value) && checks.every(([name, isRight]) => isRight(value[name]));
}

export function list<T>(isItem: Shape<T>): Shape<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(isItem);
}

export function pair<A, B>(isFirst: Shape<A>, isSecond: Shape<B>): Shape<readonly [A, B]> {
  return (value): value is readonly [A, B] =>
    Array.isArray(value) && value.length === 2 && isFirst(value[0]) && isSecond(value[1]);
}

export function oneOf<W extends string>(...words: readonly W[]): Shape<W> {
  return (value): value is W => words.some((word) => word === value);
}

/** A value that may be absent. */
export function optional<T>(isValue: Shape<T>): Shape<T | undefined> {
  return (value): value is T | undefined => value === undefined || isValue(value);
}

/** Each user's emoji, by the user's id. */
export function isReactions(value: unknown): value is Record<string, string> {
  return isRecord(value) && Object.values(value).every(isString);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isString(value: unknown): value is string {
  return typeof value === 'string';
}

export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
