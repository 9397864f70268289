export const statements = (type: { text: string }): string[] => [
  // The network address of a session's client at its sign-in or last use; '' where it is not known, as before this migration.
  `alter table sessions add column address ${type.text} not null default ''`,
];
