export const statements = (type: { text: string; bigint: string; strict: string }): string[] => [
  // Keys for the backend of a product. `hash`: SHA-256 of the key. `may`: its rights, separated by commas. `used_at`: to the hour, 0 if
  // never. Name and hash are null once it was revoked, until the sessions that it sent by have ended.
  `create table api_keys (
    id ${type.text} primary key not null,
    name ${type.text} unique,
    hash ${type.text} unique,
    may ${type.text} not null,
    created_at ${type.bigint} not null,
    used_at ${type.bigint} not null default 0
  ) ${type.strict}`,

  // The session by which a key sends as a user.
  `create table api_key_sessions (
    key_id ${type.text} not null references api_keys (id),
    user_id ${type.text} not null,
    session_id ${type.text} not null unique references sessions (id) on delete cascade,
    primary key (key_id, user_id)
  ) ${type.strict}`,
];
