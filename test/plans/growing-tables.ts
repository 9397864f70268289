import type { SourcePart, SourceStatement } from './statements-in-sources.ts';

/** Tables that stay small whatever the service is used for; every other one grows with its users. */
export const SMALL_TABLES: ReadonlySet<string> = new Set(['migrations', 'service']);

const AFTER_A_CLOCK_STEP = 'runs once at start, and when the wall clock was set';

/** Statements that may read a growing table from end to end, by a part of their text, with the reason. */
export const ALLOWED_SCANS: Readonly<Record<string, string>> = {
  'insert into users ?':
    'SQLite looks for children of a new parent only while a foreign key is violated, which no statement leaves behind',
  'update push_jobs set due_at = due_at -': AFTER_A_CLOCK_STEP,
  'update push_subscriptions set not_before = not_before -': AFTER_A_CLOCK_STEP,
  'update push_subscriptions set not_before = coalesce(': AFTER_A_CLOCK_STEP,
  'update push_subscriptions set last_notified_at = 0 where last_notified_at >': AFTER_A_CLOCK_STEP,
  'update push_jobs set due_at = ? where leased = 0 and due_at >': AFTER_A_CLOCK_STEP,
  'update push_jobs set due_at = ? , leased = 0 where leased = 1':
    'runs once, at start, before anything is served',
};

/**
 * Statements with a list for which PostgreSQL may read a small or new table whole by an index: the planner takes 100 look-ups, as many
 * as it expects of any list, for dearer. A larger table is read by the users of the list.
 */
export const SCANS_WHILE_SMALL: readonly string[] = [
  'select user_id, peer_id, subscription_id, detail from push_log where user_id in ? and at > ? and outcome = ?',
  'delete from friends where peer_id = ? and user_id in ?',
];

/**
 * Foreign keys whose first column leads no index, with the reason. Without an index a database reads the whole child table
 * when the parent's row is deleted or its key is written.
 */
export const UNINDEXED_FOREIGN_KEYS: Readonly<Record<string, string>> = {
  'conversation_settings.peer_id': 'rows of users are never deleted, and no statement writes users.id',
  'conversations.peer_id': 'rows of users are never deleted, and no statement writes users.id',
  'friends.peer_id': 'rows of users are never deleted, and no statement writes users.id',
  'push_pending.peer_id': 'rows of users are never deleted, and no statement writes users.id',
};

/** The text of a statement on one line with `?` for each parameter, as {@link ALLOWED_SCANS} names it. */
export function plainText({ strings, parts }: SourceStatement): string {
  const text = strings.map((piece, i) => `${piece} ${i < parts.length ? placeOf(parts[i] ?? null) : ''} `);
  return text.join('').replace(/\s+/g, ' ').trim();
}

function placeOf(part: SourcePart): string {
  if (typeof part === 'symbol') return '';
  return part !== null && 'text' in part ? part.text : '?';
}

export function mayScan(statement: SourceStatement): boolean {
  return Object.keys(ALLOWED_SCANS).some((allowed) => plainText(statement).includes(allowed));
}
