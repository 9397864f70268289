const RESULT =
  "outcome = 'gone', status = null, reason = 'removed', detail = 'the device was removed', waiting_until = null";

/** A subscription takes its jobs with it, in whatever way it is removed: the pushes that the log says are waiting never come. */
export const statements = (type: { kind: 'sqlite' | 'postgres' }): string[] => [
  `update push_log set ${RESULT}
    where outcome = 'waiting' and subscription_id not in (select id from push_subscriptions)`,

  ...(type.kind === 'sqlite'
    ? [
        `create trigger push_subscriptions_log after delete on push_subscriptions
          begin
            update push_log set at = cast(unixepoch('subsec') * 1000 as integer), ${RESULT}
            where user_id = old.user_id and subscription_id = old.id and outcome = 'waiting';
          end`,
      ]
    : [
        `create function log_removed_subscription() returns trigger language plpgsql as $$
          begin
            update push_log set at = extract(epoch from clock_timestamp()) * 1000, ${RESULT}
            where user_id = old.user_id and subscription_id = old.id and outcome = 'waiting';
            return null;
          end
        $$`,
        // PostgreSQL runs triggers in the order of their names, in which the cascade to the jobs comes first: the rows of the
        // log are locked after those of the jobs, as everywhere.
        `create trigger push_subscriptions_log after delete on push_subscriptions
          for each row execute function log_removed_subscription()`,
      ]),
];
