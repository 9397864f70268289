import { statement } from '../../db/statements.ts';
import { EMPTY_PROFILE } from '../../users/profile-fields.ts';
import type { RowCheck } from './rows.ts';

/** The tables in which an erased user has no row, each with the column of their id, which leads an index. docs/data.md says the same. */
export const WITHOUT_ERASED_USERS = {
  account_log: 'user_id',
  avatars: 'user_id',
  blocks: 'blocker_id',
  conversation_settings: 'user_id',
  deletions: 'user_id',
  device_proofs: 'user_id',
  email_codes: 'user_id',
  emails: 'user_id',
  friends: 'user_id',
  inbox: 'user_id',
  last_seen: 'user_id',
  mail_jobs: 'user_id',
  message_requests: 'user_id',
  password_links: 'user_id',
  push_jobs: 'user_id',
  push_last_confirmed: 'user_id',
  push_log: 'user_id',
  push_pending: 'user_id',
  push_subscriptions: 'user_id',
  quiet: 'user_id',
  reports: 'reporter_id',
  sessions: 'user_id',
  suspensions: 'user_id',
  tickets: 'user_id',
} as const;

const EMPTY_TEXTS = ['password_hash', 'nickname_key', 'keyed_names', ...Object.keys(EMPTY_PROFILE)];
const NOT_EMPTY = statement(
  "select 'user ' || id || ' is erased, but their account is not empty' as fault from users where id > ",
  ' and id <= ',
  ` and username = '' and (status <> 'deleted' or username_key not like 'HELD:%' or ${EMPTY_TEXTS.join(' || ')} <> '')
    order by id`,
);

/** Who has no name is erased. Users whom versions before this erased have a name, and more is left of them. */
export const ERASED_CHECKS: readonly RowCheck[] = [
  (db, { after, upTo }) => db.all(NOT_EMPTY, after, upTo),
  ...Object.entries(WITHOUT_ERASED_USERS).map(findRowsOfErased),
  // Those of a user in `erasures` are being removed.
  (db, { after, upTo }) => db.all`
    select 'users ' || mine.user_id || ' and ' || mine.peer_id || ' are erased, but their conversation is left' as fault
    from users join conversations mine on mine.user_id = users.id and mine.peer_id > mine.user_id
    where users.id > ${after} and users.id <= ${upTo} and users.username = ''
      and (select username from users peers where peers.id = mine.peer_id) = ''
      and not exists (select 1 from erasures where user_id in (mine.user_id, mine.peer_id))
    order by mine.user_id, mine.peer_id`,
];

function findRowsOfErased([table, column]: [string, string]): RowCheck {
  const text = statement(
    `select 'user ' || users.id || ' is erased, but ${table} has ' || count(*) || ' rows of theirs' as fault
      from users join ${table} as theirs on theirs.${column} = users.id where users.id > `,
    ' and users.id <= ',
    " and users.username = '' group by users.id order by users.id",
  );
  return (db, { after, upTo }) => db.all(text, after, upTo);
}
