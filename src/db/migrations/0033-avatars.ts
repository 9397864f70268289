type Types = { kind: 'sqlite' | 'postgres'; text: string; bigint: string; strict: string };

export const statements = ({ kind, text, bigint, strict }: Types): string[] => [
  // Pictures that users uploaded: the one that `users.avatar` names by its id, and the one before it. `type`: its media type.
  `create table avatars (
    id ${text} primary key not null,
    user_id ${text} not null references users (id),
    type ${text} not null,
    bytes ${kind === 'postgres' ? 'bytea' : 'blob'} not null,
    created_at ${bigint} not null
  ) ${strict}`,
  'create index avatars_by_user on avatars (user_id)',
  // Pictures are compressed already.
  ...(kind === 'postgres' ? ['alter table avatars alter column bytes set storage external'] : []),
];
