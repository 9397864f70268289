export const statements = (type: { bigint: string }): string[] => [
  // 1: versions that do not know the migration may go on with the database.
  `alter table migrations add column additive ${type.bigint} not null default 0`,
];
