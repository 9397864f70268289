export const statements = (type: {
  text: string;
  bigint: string;
  bytes: string;
  strict: string;
}): string[] => [
  // What devices prove an earlier login with: SHA-256 of the proof in base64url, and when it was issued or last used.
  `create table device_proofs (
    hash ${type.text} primary key not null,
    user_id ${type.text} not null references users (id),
    used_at ${type.bigint} not null
  ) ${type.strict}`,
  'create index device_proofs_by_user on device_proofs (user_id, used_at)',
  'create index device_proofs_by_use on device_proofs (used_at)',
];
