type Types = { kind: 'sqlite' | 'postgres'; text: string; bigint: string; strict: string };

export const statements = ({ kind, text, bigint, strict }: Types): string[] => [
  // Id of the message's picture, the key of `pictures`; removed when the message is unsent.
  `alter table messages add column picture_id ${text}`,

  // A picture for a message: the row comes first, then its pieces, then `is_whole`. `low_id` and `high_id` are the two of the conversation,
  // null until it is sent. From `remove_at` on a job removes the pieces: 24 hours after an upload that was not sent, and what an unsent
  // message had; null while a message has it. The row stays for 24 hours after the upload, as it counts among those of its day.
  `create table pictures (
    id ${text} primary key not null,
    owner_id ${text} not null references users (id),
    low_id ${text},
    high_id ${text},
    type ${text} not null,
    size ${bigint} not null,
    width ${bigint} not null,
    height ${bigint} not null,
    created_at ${bigint} not null,
    is_whole integer not null default 0 check (is_whole in (0, 1)),
    remove_at ${bigint}
  ) ${strict}`,
  'create index pictures_by_owner on pictures (owner_id, created_at)',
  'create index pictures_to_remove on pictures (remove_at) where remove_at is not null',

  // Its bytes in pieces of 64 KiB. `part`: 0 is the picture, 1 its preview.
  `create table picture_pieces (
    id ${text} not null references pictures (id) on delete cascade,
    part ${bigint} not null,
    piece ${bigint} not null,
    bytes ${kind === 'postgres' ? 'bytea' : 'blob'} not null,
    primary key (id, part, piece)
  ) ${strict}`,
  // Pictures are compressed already.
  ...(kind === 'postgres' ? ['alter table picture_pieces alter column bytes set storage external'] : []),
];
