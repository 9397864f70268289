export const statements = (type: { text: string; bigint: string; strict: string }): string[] => [
  // What its sender or the peer changed of a message. `original_hash`: SHA-256 of the first text, from the first edit on. The reactions
  // are those of the user with the lesser id and of the other one.
  `alter table messages add column reply_to ${type.bigint}`,
  `alter table messages add column edited_at ${type.bigint}`,
  `alter table messages add column unsent_at ${type.bigint}`,
  `alter table messages add column original_hash ${type.text}`,
  `alter table messages add column low_reaction ${type.text}`,
  `alter table messages add column high_reaction ${type.text}`,

  // Rises with each change of a message, on both sides.
  `alter table conversations add column revision ${type.bigint} not null default 0`,

  // How a user keeps a conversation. `archived_n` and `cleared_n` are numbers of messages, so no message that is stored writes them:
  // the conversation is archived until a later message, and all messages up to `cleared_n` are deleted for this user.
  `create table conversation_settings (
    user_id ${type.text} not null references users (id),
    peer_id ${type.text} not null references users (id),
    muted_until ${type.bigint} not null default 0,
    pinned_at ${type.bigint} not null default 0,
    archived_n ${type.bigint} not null default 0,
    marked_unread integer not null default 0 check (marked_unread in (0, 1)),
    cleared_n ${type.bigint} not null default 0,
    primary key (user_id, peer_id)
  ) ${type.strict}`,
  'create index conversation_settings_pinned on conversation_settings (user_id, pinned_at) where pinned_at > 0',
  'create index conversation_settings_cleared on conversation_settings (user_id, peer_id) where cleared_n > 0',
];
