export const statements = (type: {
  text: string;
  bigint: string;
  bytes: string;
  strict: string;
}): string[] => [
  // A pair of `push_due` that was decided rests: `count` is 0 and `due_at` the end of the rest.
  `alter table push_due add column rests_until ${type.bigint} not null default 0`,

  // One row for each device and conversation that is to be told. While a process has it, `leased` is 1 and `due_at` is
  // when another may take it. `since` is when the newest message of it was decided on.
  `create table push_jobs (
    subscription_id ${type.text} not null references push_subscriptions (id) on delete cascade,
    peer_id ${type.text} not null,
    user_id ${type.text} not null,
    last_seq ${type.bigint} not null,
    due_at ${type.bigint} not null,
    leased integer not null default 0,
    tries integer not null default 0,
    since ${type.bigint} not null,
    short integer not null default 0,
    log_id ${type.text} not null default '',
    primary key (subscription_id, peer_id)
  ) ${type.strict}`,
  'create index push_jobs_by_time on push_jobs (due_at)',
  'create index push_jobs_by_pair on push_jobs (user_id, peer_id)',

  // What push services said of a device: nothing is sent before `not_before`; refusals in a row, and the first of them.
  `alter table push_subscriptions add column not_before ${type.bigint} not null default 0`,
  'alter table push_subscriptions add column refusals integer not null default 0',
  `alter table push_subscriptions add column refused_since ${type.bigint}`,
  // When an unconfirmed one was last told anything.
  `alter table push_subscriptions add column told_at ${type.bigint} not null default 0`,

  `alter table push_log add column peer_id ${type.text}`,
  `alter table push_log add column waiting_until ${type.bigint}`,
];
