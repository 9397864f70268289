type Types = Record<'text' | 'bigint' | 'strict', string> & { kind: 'sqlite' | 'postgres' };

/**
 * The tables of version 0.1.0. The migrations that made them step by step were never released one by one. In the table `migrations` it has the
 * name of the last of them.
 */
export const statements = ({ kind, text, bigint, strict }: Types): string[] => [
  `create table users (
    id ${text} primary key not null,
    username ${text} not null,
    username_key ${text} not null unique,
    password_hash ${text} not null,
    nickname ${text} not null default '',
    email ${text} not null default '',
    avatar ${text} not null default '',
    gender ${text} not null default '',
    bio ${text} not null default '',
    phone ${text} not null default '',
    push_enabled integer not null default 1 check (push_enabled in (0, 1)),
    dnd_enabled integer not null default 0 check (dnd_enabled in (0, 1)),
    push_preview ${text} not null default 'sender' check (push_preview in ('full', 'sender', 'none')),
    nickname_key ${text} not null,
    status ${text} not null default 'active' check (status in ('active', 'suspended', 'deleted')),
    created_at ${bigint} not null
  ) ${strict}`,
  'create index users_by_nickname on users (nickname_key)',

  // `address`: the client's network address at its sign-in or last use; '' where it is not known.
  `create table sessions (
    id ${text} primary key not null,
    user_id ${text} not null references users (id),
    device ${text} not null default '',
    created_at ${bigint} not null,
    used_at ${bigint} not null,
    address ${text} not null default ''
  ) ${strict}`,
  'create index sessions_by_user on sessions (user_id)',
  'create index sessions_by_use on sessions (used_at)',

  // Proofs by which devices show an earlier login: SHA-256 of the proof in base64url, and when it was issued or last used.
  `create table device_proofs (
    hash ${text} primary key not null,
    user_id ${text} not null references users (id),
    used_at ${bigint} not null
  ) ${strict}`,
  'create index device_proofs_by_user on device_proofs (user_id, used_at)',
  'create index device_proofs_by_use on device_proofs (used_at)',

  `create table service (
    name ${text} primary key not null,
    value ${text} not null
  ) ${strict}`,

  // Changes that every node has to read. `at` is the database's own time, and rows are read by it, not by their order.
  `create table changes (
    id ${text} primary key not null,
    at ${bigint} not null,
    kind ${text} not null,
    subject ${text} not null
  ) ${strict}`,
  'create index changes_by_at on changes (at)',

  `create table blocks (
    blocker_id ${text} not null references users (id),
    blocked_id ${text} not null references users (id),
    created_at ${bigint} not null,
    position ${bigint} not null,
    primary key (blocker_id, blocked_id)
  ) ${strict}`,
  'create index blocks_by_position on blocks (blocker_id, position)',
  // For each `watch`: who blocks a user.
  'create index blocks_by_blocked on blocks (blocked_id, blocker_id)',

  // One row for each side; both are written together. `state` is friends, requested (by the user) or asked (by the peer).
  `create table friends (
    user_id ${text} not null references users (id),
    peer_id ${text} not null references users (id),
    state ${text} not null,
    at ${bigint} not null,
    primary key (user_id, peer_id)
  ) ${strict}`,
  // Pages of friends and of requests, the latest change first.
  'create index friends_by_time on friends (user_id, state, at)',

  // Epoch milliseconds: when the user went offline or, after a crash, when they had come.
  `create table last_seen (
    user_id ${text} primary key not null,
    at ${bigint} not null
  ) ${strict}`,

  // `seq` numbers the last event; `received` the last one that some device of the user acknowledged.
  `create table inbox_heads (
    user_id ${text} primary key not null references users (id),
    seq ${bigint} not null default 0,
    received ${bigint} not null default 0
  ) ${strict}`,
  // No index by `at`: every event would pay for it, and only the hourly clean-up would read it.
  `create table inbox (
    user_id ${text} not null,
    seq ${bigint} not null,
    at ${bigint} not null,
    event ${text} not null,
    data ${text} not null,
    primary key (user_id, seq)
  ) ${strict}`,

  // One row for each side: how far `user_id` is in the conversation with `peer_id`. Both rows carry the same `n`. The peer may know
  // `disclosed_received` and `disclosed_read`: as `received` and `read`, but what rises during a block is kept from the peer.
  // `last_hour` is `last_at` in hours: an index by `last_at` itself changes twice with every message.
  `create table conversations (
    user_id ${text} not null references users (id),
    peer_id ${text} not null references users (id),
    n ${bigint} not null default 0,
    last_at ${bigint} not null default 0,
    received ${bigint} not null default 0,
    read ${bigint} not null default 0,
    unread ${bigint} not null default 0,
    disclosed_received ${bigint} not null default 0,
    disclosed_read ${bigint} not null default 0,
    last_hour ${bigint} not null default 0,
    primary key (user_id, peer_id)
  ) ${strict}`,
  'create index conversations_by_hour on conversations (user_id, last_hour)',
  // The badge of a notification, of a user with many conversations that are read.
  'create index conversations_unread on conversations (user_id, peer_id) where unread > 0',
  // The conversation of two users under one name: the lesser id first.
  `create table messages (
    low_id ${text} not null,
    high_id ${text} not null,
    n ${bigint} not null,
    sender_id ${text} not null,
    cid ${text} not null,
    body ${text} not null,
    at ${bigint} not null,
    primary key (low_id, high_id, n),
    unique (sender_id, cid)
  ) ${strict}`,

  // A subscription goes with its session; without one it is unconfirmed: anyone may have stored it. What push services said of a device:
  // nothing is sent before `not_before`; `refusals` in a row, and the first of them. `last_notified_at` is kept for an unconfirmed device.
  // `language`, `en` or `zh`, of its notifications; '' where it is not known, until the device checks its subscription.
  `create table push_subscriptions (
    id ${text} primary key not null,
    user_id ${text} not null references users (id),
    endpoint ${text} not null,
    p256dh ${text} not null,
    auth ${text} not null,
    vapid_public ${text} not null,
    user_agent ${text} not null default '',
    created_at ${bigint} not null,
    updated_at ${bigint} not null,
    unusable_since ${bigint},
    last_success_at ${bigint},
    not_before ${bigint} not null default 0,
    refusals integer not null default 0,
    refused_since ${bigint},
    last_notified_at ${bigint} not null default 0,
    session_id ${text} references sessions (id) on delete cascade,
    language ${text} not null default '',
    unique (user_id, endpoint)
  ) ${strict}`,
  'create index push_subscriptions_by_endpoint on push_subscriptions (endpoint)',
  'create index push_subscriptions_by_session on push_subscriptions (session_id)',
  'create index push_subscriptions_unusable on push_subscriptions (unusable_since) where unusable_since is not null',

  // Messages that a user may have to be notified of: numbers are of the user's inbox, `count` of a peer's messages. A pair that was decided rests:
  // `count` is 0, and `due_at` the end of the cooldown.
  `create table push_pending (
    user_id ${text} not null references users (id),
    peer_id ${text} not null references users (id),
    first_seq ${bigint} not null,
    last_seq ${bigint} not null,
    count ${bigint} not null,
    due_at ${bigint} not null,
    cooldown_until ${bigint} not null default 0,
    primary key (user_id, peer_id)
  ) ${strict}`,
  'create index push_pending_by_time on push_pending (due_at)',

  // One row for each device and conversation of which it is to be notified. While a process has it, `leased` is 1 and `due_at` is when
  // another may take it. `decided_at`: the decision on its newest message.
  `create table push_jobs (
    subscription_id ${text} not null references push_subscriptions (id) on delete cascade,
    peer_id ${text} not null,
    user_id ${text} not null,
    last_seq ${bigint} not null,
    due_at ${bigint} not null,
    leased integer not null default 0,
    attempts integer not null default 0,
    decided_at ${bigint} not null,
    short integer not null default 0,
    log_id ${text} not null default '',
    primary key (subscription_id, peer_id)
  ) ${strict}`,
  'create index push_jobs_by_time on push_jobs (due_at)',
  'create index push_jobs_by_pair on push_jobs (user_id, peer_id)',

  // `device_name`: the device's own word for itself, which outlives the subscription. `reason`: one word for programs why a push was not
  // taken or waits; '' where an earlier version did not record it, and of other outcomes. The device reports `shown_at` and `clicked_at`.
  `create table push_log (
    id ${text} primary key not null,
    user_id ${text} not null,
    at ${bigint} not null,
    subscription_id ${text} not null,
    kind ${text} not null,
    outcome ${text} not null,
    status integer,
    detail ${text} not null default '',
    peer_id ${text},
    waiting_until ${bigint},
    device_name ${text} not null default '',
    shown_at ${bigint},
    clicked_at ${bigint},
    reason ${text} not null default ''
  ) ${strict}`,
  'create index push_log_by_user on push_log (user_id, at)',

  // Receipts that a device sent before the entry was there.
  `create table push_early_receipts (
    log_id ${text} primary key not null,
    shown_at ${bigint} not null,
    clicked_at ${bigint}
  ) ${strict}`,
  'create index push_early_receipts_by_time on push_early_receipts (shown_at)',

  // When the latest confirmed push subscription of a user was removed, in whatever way.
  `create table push_last_confirmed (
    user_id ${text} primary key not null references users (id),
    removed_at ${bigint} not null
  ) ${strict}`,

  ...onRemovedSubscription(kind, 'push_subscriptions_removed', 'note_removed_subscription', {
    when: 'when (old.session_id is not null)',
    run: `insert into push_last_confirmed (user_id, removed_at) values (old.user_id, ${NOW[kind]})
      on conflict (user_id) do update set removed_at = excluded.removed_at`,
  }),
  // A subscription takes its jobs with it: the pushes that the log says are waiting never come. PostgreSQL runs triggers in the order of
  // their names, in which the cascade to the jobs comes first: the rows of the log are locked after those of the jobs, as everywhere.
  ...onRemovedSubscription(kind, 'push_subscriptions_log', 'log_removed_subscription', {
    when: '',
    run: `update push_log set at = ${NOW[kind]},
        outcome = 'gone', status = null, reason = 'removed', detail = 'the device was removed', waiting_until = null
      where user_id = old.user_id and subscription_id = old.id and outcome = 'waiting'`,
  }),
];

const NOW = {
  sqlite: "cast(unixepoch('subsec') * 1000 as integer)",
  postgres: 'extract(epoch from clock_timestamp()) * 1000',
};

/** A trigger, on PostgreSQL with its function. */
function onRemovedSubscription(
  kind: 'sqlite' | 'postgres',
  trigger: string,
  name: string,
  { when, run }: { when: string; run: string },
): string[] {
  const after = `create trigger ${trigger} after delete on push_subscriptions`;
  if (kind === 'sqlite') return [`${after} ${when} begin ${run}; end`];
  return [
    `create function ${name}() returns trigger language plpgsql as $$ begin ${run}; return null; end $$`,
    `${after} for each row ${when} execute function ${name}()`,
  ];
}
