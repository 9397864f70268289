export const statements = (type: { kind: string; text: string; strict: string }): string[] => [
  // The names of users from the start of each word, as a search compares them. Without a row number SQLite stores each key once, not twice.
  `create table name_keys (
    key ${type.text} not null,
    user_id ${type.text} not null,
    primary key (key, user_id)
  ) ${type.kind === 'sqlite' ? `${type.strict}, without rowid` : type.strict}`,

  // The names of which the user's keys were made. '' of users without keys: deleted, not listed, or stored by an earlier version.
  `alter table users add column keyed_names ${type.text} not null default ''`,
];
