export const statements = (type: {
  text: string;
  bigint: string;
  bytes: string;
  strict: string;
}): string[] => [
  // A subscription without session is unconfirmed: anybody may have stored it.
  `create table push_subscriptions (
    id ${type.text} primary key not null,
    user_id ${type.text} not null references users (id),
    endpoint ${type.text} not null,
    p256dh ${type.text} not null,
    auth ${type.text} not null,
    session_id ${type.text},
    vapid_public ${type.text} not null,
    user_agent ${type.text} not null default '',
    created_at ${type.bigint} not null,
    updated_at ${type.bigint} not null,
    unusable_since ${type.bigint},
    last_success_at ${type.bigint},
    unique (user_id, endpoint)
  ) ${type.strict}`,
  'create index push_subscriptions_by_endpoint on push_subscriptions (endpoint)',
  'create index push_subscriptions_by_session on push_subscriptions (session_id)',

  `create table push_log (
    id ${type.text} primary key not null,
    user_id ${type.text} not null,
    at ${type.bigint} not null,
    subscription_id ${type.text} not null,
    kind ${type.text} not null,
    outcome ${type.text} not null,
    status integer,
    detail ${type.text} not null default ''
  ) ${type.strict}`,
  'create index push_log_by_user on push_log (user_id, at)',
];
