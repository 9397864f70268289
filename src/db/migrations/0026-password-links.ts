export const statements = (type: { text: string; bigint: string; strict: string }): string[] => [
  // A link by which a user sets a new password once: SHA-256 of its token in base64url. A user has at most one.
  `create table password_links (
    user_id ${type.text} primary key not null references users (id),
    hash ${type.text} not null,
    expires_at ${type.bigint} not null
  ) ${type.strict}`,
  'create unique index password_links_by_hash on password_links (hash)',
  'create index password_links_by_expiry on password_links (expires_at)',
];
