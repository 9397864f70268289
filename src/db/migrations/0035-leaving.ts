export const statements = (type: { text: string; bigint: string; strict: string }): string[] => [
  // An account whose user asked for its deletion, until it is erased at `due_at`. Its row of `users` is deleted and has its password.
  `create table deletions (
    user_id ${type.text} primary key not null references users (id),
    asked_at ${type.bigint} not null,
    due_at ${type.bigint} not null
  ) ${type.strict}`,
  'create index deletions_by_time on deletions (due_at)',

  // An erased user whose messages with other erased users are still to be removed: those with peers up to `after_peer` are.
  `create table erasures (
    user_id ${type.text} primary key not null references users (id),
    after_peer ${type.text} not null default ''
  ) ${type.strict}`,

  // Nothing is appended to the log of an erased user.
  'alter table inbox_heads add column closed integer not null default 0 check (closed in (0, 1))',

  // What somebody may do once, until a time, who has the secret of `hash` (SHA-256). `data` and `tries` belong to the kind.
  `create table tickets (
    hash ${type.text} primary key not null,
    kind ${type.text} not null,
    user_id ${type.text} references users (id),
    session_id ${type.text},
    data ${type.text} not null default '',
    tries ${type.bigint} not null default 0,
    expires_at ${type.bigint} not null
  ) ${type.strict}`,
  'create index tickets_by_time on tickets (expires_at)',
  'create index tickets_by_user on tickets (user_id)',
];
