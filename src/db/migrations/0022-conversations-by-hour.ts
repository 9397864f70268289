export const statements = (type: { bigint: string }): string[] => [
  // `last_at` in hours. An index by `last_at` itself changed twice with every message.
  `alter table conversations add column last_hour ${type.bigint} not null default 0`,
  'update conversations set last_hour = last_at / 3600000',
  'drop index conversations_by_last',
  'create index conversations_by_hour on conversations (user_id, last_hour)',
];
