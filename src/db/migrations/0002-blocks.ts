export const statements = (type: {
  text: string;
  bigint: string;
  bytes: string;
  strict: string;
}): string[] => [
  `create table blocks (
    blocker_id ${type.text} not null references users (id),
    blocked_id ${type.text} not null references users (id),
    created_at ${type.bigint} not null,
    position ${type.bigint} not null,
    primary key (blocker_id, blocked_id)
  ) ${type.strict}`,
  'create index blocks_by_position on blocks (blocker_id, position)',
];
