export const statements = (): string[] => [
  // Who blocks a user, asked at every `watch`.
  'create index blocks_by_blocked on blocks (blocked_id, blocker_id)',
  // Pages of friends and of requests, the latest change first.
  'create index friends_by_time on friends (user_id, state, at)',
  // For the hourly clean-up.
  'create index push_early_receipts_by_time on push_early_receipts (shown_at)',
  'create index push_subscriptions_unusable on push_subscriptions (unusable_since) where unusable_since is not null',
];
