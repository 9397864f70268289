export const statements = (type: {
  text: string;
  bigint: string;
  bytes: string;
  strict: string;
}): string[] => [
  // When the latest confirmed push subscription of a user was removed.
  `create table push_last_confirmed (
    user_id ${type.text} primary key not null references users (id),
    removed_at ${type.bigint} not null
  ) ${type.strict}`,
  // Only a confirmed subscription gets receipts, so a notification that was shown proves that there was one.
  `insert into push_last_confirmed (user_id, removed_at)
    select push_log.user_id, max(push_log.at) from push_log join users on users.id = push_log.user_id
    where push_log.shown_at is not null group by push_log.user_id`,
  // Earlier versions wrote the words of unconfirmed subscriptions into the log.
  `update push_log set device_name = '',
      detail = case when detail = 'unconfirmed: at most once a minute' then detail else '' end
    where subscription_id in (select id from push_subscriptions where session_id is null)`,

  // The badge of a notification, of a user with many conversations that are read.
  'create index conversations_unread on conversations (user_id, peer_id) where unread > 0',
];
