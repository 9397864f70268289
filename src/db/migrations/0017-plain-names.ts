/** Names a table, columns and a value by what they hold (decision 022). The trigger of 0015 uses none of these names. */
export const statements = (): string[] => [
  'alter table push_due rename to push_pending',
  'alter table push_pending rename column rests_until to cooldown_until',
  // SQLite cannot rename an index.
  'drop index push_due_by_time',
  'create index push_pending_by_time on push_pending (due_at)',

  'alter table push_jobs rename column since to decided_at',
  'alter table push_jobs rename column tries to attempts',
  'alter table push_subscriptions rename column told_at to last_notified_at',
  'alter table conversations rename column told_received to disclosed_received',
  'alter table conversations rename column told_read to disclosed_read',

  "update push_log set outcome = 'already_notified' where outcome = 'told_already'",
];
