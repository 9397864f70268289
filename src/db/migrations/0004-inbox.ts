export const statements = (type: {
  text: string;
  bigint: string;
  bytes: string;
  strict: string;
}): string[] => [
  // `seq` numbers the last event; `received` the last one that some device of the user acknowledged.
  `create table inbox_heads (
    user_id ${type.text} primary key not null references users (id),
    seq ${type.bigint} not null default 0,
    received ${type.bigint} not null default 0
  ) ${type.strict}`,
  'insert into inbox_heads (user_id) select id from users',
  `create table inbox (
    user_id ${type.text} not null,
    seq ${type.bigint} not null,
    at ${type.bigint} not null,
    event ${type.text} not null,
    data ${type.text} not null,
    primary key (user_id, seq)
  ) ${type.strict}`,
  'create index inbox_by_age on inbox (at)',
];
