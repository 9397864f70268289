export const statements = (type: {
  text: string;
  bigint: string;
  bytes: string;
  strict: string;
}): string[] => [
  // One row for each side: how far `user_id` is in the conversation with `peer_id`. Both rows carry the same `n`.
  `create table conversations (
    user_id ${type.text} not null references users (id),
    peer_id ${type.text} not null references users (id),
    n ${type.bigint} not null default 0,
    last_at ${type.bigint} not null default 0,
    received ${type.bigint} not null default 0,
    read ${type.bigint} not null default 0,
    unread ${type.bigint} not null default 0,
    primary key (user_id, peer_id)
  ) ${type.strict}`,
  'create index conversations_by_last on conversations (user_id, last_at)',
  // The conversation of two people under one name: the lesser id first.
  `create table messages (
    low_id ${type.text} not null,
    high_id ${type.text} not null,
    n ${type.bigint} not null,
    sender_id ${type.text} not null,
    cid ${type.text} not null,
    body ${type.text} not null,
    at ${type.bigint} not null,
    primary key (low_id, high_id, n),
    unique (sender_id, cid)
  ) ${type.strict}`,
];
