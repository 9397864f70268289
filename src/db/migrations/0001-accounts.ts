export const statements = (type: {
  text: string;
  bigint: string;
  bytes: string;
  strict: string;
}): string[] => [
  `create table users (
    id ${type.text} primary key not null,
    username ${type.text} not null,
    username_key ${type.text} not null unique,
    password_hash ${type.text} not null,
    nickname ${type.text} not null default '',
    email ${type.text} not null default '',
    avatar ${type.text} not null default '',
    gender ${type.text} not null default '',
    bio ${type.text} not null default '',
    phone ${type.text} not null default '',
    push_enabled integer not null default 1 check (push_enabled in (0, 1)),
    dnd_enabled integer not null default 0 check (dnd_enabled in (0, 1)),
    push_preview ${type.text} not null default 'sender' check (push_preview in ('full', 'sender', 'none')),
    nickname_key ${type.text} not null,
    status ${type.text} not null default 'active' check (status in ('active', 'suspended', 'deleted')),
    created_at ${type.bigint} not null
  ) ${type.strict}`,
  'create index users_by_nickname on users (nickname_key)',

  `create table sessions (
    id ${type.text} primary key not null,
    user_id ${type.text} not null references users (id),
    device ${type.text} not null default '',
    created_at ${type.bigint} not null,
    used_at ${type.bigint} not null
  ) ${type.strict}`,
  'create index sessions_by_user on sessions (user_id)',
  'create index sessions_by_use on sessions (used_at)',

  `create table service (
    name ${type.text} primary key not null,
    value ${type.text} not null
  ) ${type.strict}`,

  `create table outside_changes (
    id integer primary key not null,
    n ${type.bigint} not null
  ) ${type.strict}`,
  'insert into outside_changes (id, n) values (1, 0)',
];
