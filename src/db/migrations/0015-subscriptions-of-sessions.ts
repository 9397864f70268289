export const statements = (type: { kind: 'sqlite' | 'postgres'; text: string }): string[] => [
  // A subscription goes with its session. `session_id` gets its foreign key as a new column: SQLite cannot add one to a
  // column, and a table that is made anew would lose the rows that refer to it.
  `delete from push_subscriptions
    where session_id is not null and session_id not in (select id from sessions)`,
  `alter table push_subscriptions add column session ${type.text} references sessions (id) on delete cascade`,
  'update push_subscriptions set session = session_id',
  'drop index push_subscriptions_by_session',
  'alter table push_subscriptions drop column session_id',
  'alter table push_subscriptions rename column session to session_id',
  'create index push_subscriptions_by_session on push_subscriptions (session_id)',

  // When the latest confirmed subscription of a user was removed, in whatever way.
  ...(type.kind === 'sqlite'
    ? [
        `create trigger push_subscriptions_removed after delete on push_subscriptions
          when old.session_id is not null
          begin
            insert into push_last_confirmed (user_id, removed_at) values (old.user_id, cast(unixepoch('subsec') * 1000 as integer))
            on conflict (user_id) do update set removed_at = excluded.removed_at;
          end`,
      ]
    : [
        `create function note_removed_subscription() returns trigger language plpgsql as $$
          begin
            insert into push_last_confirmed (user_id, removed_at) values (old.user_id, extract(epoch from clock_timestamp()) * 1000)
            on conflict (user_id) do update set removed_at = excluded.removed_at;
            return null;
          end
        $$`,
        `create trigger push_subscriptions_removed after delete on push_subscriptions
          for each row when (old.session_id is not null) execute function note_removed_subscription()`,
      ]),
];
