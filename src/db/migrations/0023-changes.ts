export const statements = (type: { text: string; bigint: string; strict: string }): string[] => [
  // What other nodes must not find outdated. `at` is the database's own time, and rows are read by it, not by their order.
  `create table changes (
    id ${type.text} primary key not null,
    at ${type.bigint} not null,
    kind ${type.text} not null,
    subject ${type.text} not null
  ) ${type.strict}`,
  'create index changes_by_at on changes (at)',
  'drop table outside_changes',
];
