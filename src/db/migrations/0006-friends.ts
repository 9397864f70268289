export const statements = (type: {
  text: string;
  bigint: string;
  bytes: string;
  strict: string;
}): string[] => [
  // One row for each side; both are written together. `state` is friends, requested (by the user) or asked (by the peer).
  `create table friends (
    user_id ${type.text} not null references users (id),
    peer_id ${type.text} not null references users (id),
    state ${type.text} not null,
    at ${type.bigint} not null,
    primary key (user_id, peer_id)
  ) ${type.strict}`,
];
