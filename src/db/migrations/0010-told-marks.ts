export const statements = (type: {
  text: string;
  bigint: string;
  bytes: string;
  strict: string;
}): string[] => [
  // How far the peer may know `user_id` to be: as `received` and `read`, but what rises during a block is kept from him.
  `alter table conversations add column told_received ${type.bigint} not null default 0`,
  `alter table conversations add column told_read ${type.bigint} not null default 0`,
  'update conversations set told_received = received, told_read = read',
];
