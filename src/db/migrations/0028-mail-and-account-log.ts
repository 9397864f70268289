export const statements = (type: { text: string; bigint: string; strict: string }): string[] => [
  // A mail that waits to be sent, or is being sent under a lease. It has no secret: code and link are made when it is built.
  `create table mail_jobs (
    id ${type.text} primary key not null,
    kind ${type.text} not null,
    dedup ${type.text} not null unique,
    user_id ${type.text} references users (id),
    account ${type.text} not null default '',
    address ${type.text} not null default '',
    language ${type.text} not null,
    data ${type.text} not null default '{}',
    created_at ${type.bigint} not null,
    due_at ${type.bigint} not null,
    leased integer not null default 0 check (leased in (0, 1)),
    tries integer not null default 0
  ) ${type.strict}`,
  'create index mail_jobs_by_time on mail_jobs (due_at)',
  'create index mail_jobs_by_user on mail_jobs (user_id)',

  // The verified address of a user. The key is the address in lower case.
  `create table emails (
    user_id ${type.text} primary key not null references users (id),
    address ${type.text} not null,
    address_key ${type.text} not null unique,
    language ${type.text} not null,
    verified_at ${type.bigint} not null
  ) ${type.strict}`,

  // An address that a user wants to verify. The hashes of code and link are null until the mail of the last request is built.
  `create table email_codes (
    user_id ${type.text} primary key not null references users (id),
    address ${type.text} not null,
    language ${type.text} not null,
    requested_at ${type.bigint} not null,
    code_hash ${type.text},
    link_hash ${type.text} unique,
    tries integer not null default 0,
    expires_at ${type.bigint} not null
  ) ${type.strict}`,
  'create index email_codes_by_expiry on email_codes (expires_at)',

  // What happened to an account, and from where. Empty texts: unknown, or not caused by a client.
  `create table account_log (
    id ${type.text} primary key not null,
    user_id ${type.text} not null references users (id),
    at ${type.bigint} not null,
    what ${type.text} not null,
    session_id ${type.text} not null default '',
    device ${type.text} not null default '',
    address ${type.text} not null default '',
    data ${type.text} not null default '{}'
  ) ${type.strict}`,
  'create index account_log_by_user on account_log (user_id, id)',
  'create index account_log_by_time on account_log (at)',

  // Why an account is suspended, and until when; null: until it is restored.
  `create table suspensions (
    user_id ${type.text} primary key not null references users (id),
    reason ${type.text} not null default '',
    until ${type.bigint},
    at ${type.bigint} not null
  ) ${type.strict}`,
  'create index suspensions_by_end on suspensions (until)',

  // When the user last gave their password in this session; 0: never since the update.
  `alter table sessions add column confirmed_at ${type.bigint} not null default 0`,
];
