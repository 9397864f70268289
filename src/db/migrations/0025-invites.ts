export const statements = (type: { text: string; bigint: string; strict: string }): string[] => [
  // `hash`: bcrypt of the code with the salt of the installation. `uses`: how many registrations in all.
  `create table invites (
    id ${type.text} primary key not null,
    hash ${type.text} not null,
    uses ${type.bigint} not null,
    uses_left ${type.bigint} not null,
    created_at ${type.bigint} not null,
    expires_at ${type.bigint} not null
  ) ${type.strict}`,
  'create unique index invites_by_hash on invites (hash)',
  'create index invites_by_expiry on invites (expires_at)',
  'create index invites_by_uses_left on invites (uses_left)',
];
