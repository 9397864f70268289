export const statements = (type: {
  text: string;
  bigint: string;
  bytes: string;
  strict: string;
}): string[] => [
  // What a user may have to be told of a peer's messages: numbers are of the user's inbox, `count` of messages.
  `create table push_due (
    user_id ${type.text} not null references users (id),
    peer_id ${type.text} not null references users (id),
    first_seq ${type.bigint} not null,
    last_seq ${type.bigint} not null,
    count ${type.bigint} not null,
    due_at ${type.bigint} not null,
    primary key (user_id, peer_id)
  ) ${type.strict}`,
  'create index push_due_by_time on push_due (due_at)',
];
