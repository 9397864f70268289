export const statements = (type: { text: string; bigint: string; strict: string }): string[] => [
  // Who may reach a user, and what others see of them. The defaults are what held before there was a choice.
  `alter table users add column who_messages ${type.text} not null default 'everyone'
    check (who_messages in ('everyone', 'requests', 'friends'))`,
  `alter table users add column who_friend_requests ${type.text} not null default 'everyone'
    check (who_friend_requests in ('everyone', 'nobody'))`,
  `alter table users add column who_presence ${type.text} not null default 'everyone'
    check (who_presence in ('everyone', 'friends', 'nobody'))`,
  'alter table users add column shows_read integer not null default 1 check (shows_read in (0, 1))',
  'alter table users add column is_listed integer not null default 1 check (is_listed in (0, 1))',

  // A conversation of `user_id` that a stranger, the peer, began, and that waits for an answer or was declined; `messages`: how many wait.
  `create table message_requests (
    user_id ${type.text} not null references users (id),
    peer_id ${type.text} not null references users (id),
    state ${type.text} not null check (state in ('waiting', 'declined')),
    messages ${type.bigint} not null,
    at ${type.bigint} not null,
    primary key (user_id, peer_id)
  ) ${type.strict}`,
  'create index message_requests_by_state on message_requests (user_id, state, at)',
  'create index message_requests_by_time on message_requests (state, at)',
  'create index message_requests_by_peer on message_requests (peer_id)',

  // When a user wants no notification: once until a time (0: not), and in the windows of each week (JSON) in their time zone.
  `create table quiet (
    user_id ${type.text} primary key not null references users (id),
    until ${type.bigint} not null default 0,
    time_zone ${type.text} not null,
    windows ${type.text} not null default '[]'
  ) ${type.strict}`,

  // A pair that waits for the end of its user's quiet time, and the entry of the push log that says so.
  `alter table push_pending add column quiet_until ${type.bigint}`,
  `alter table push_pending add column quiet_log ${type.text}`,

  // What a user reported of another, with copies of the messages (JSON). Open until it was decided on.
  `create table reports (
    id ${type.text} primary key not null,
    reporter_id ${type.text} references users (id),
    reported_id ${type.text} not null references users (id),
    reason ${type.text} not null,
    text ${type.text} not null default '',
    messages ${type.text} not null default '[]',
    at ${type.bigint} not null,
    decided_at ${type.bigint},
    act ${type.text},
    note ${type.text} not null default ''
  ) ${type.strict}`,
  'create index reports_by_decision on reports (decided_at, at)',
  'create index reports_by_reporter on reports (reporter_id, at)',
  'create index reports_by_reported on reports (reported_id)',
];
