import type { Queries } from '../../db/db.ts';

/** Users from after one id up to another one, in the order of their ids. */
export interface UserRange {
  readonly after: string;
  readonly upTo: string;
}

/** A sentence about a damaged row. */
interface Damage {
  readonly fault: string;
}

/** Finds the damaged rows of the users in a range. */
export type RowCheck = (db: Queries, range: UserRange) => Promise<Damage[]>;

/** What must be true of the rows of users, whatever was written in which order. Each reads by indexes alone. */
export const ROW_CHECKS: Readonly<Record<string, readonly RowCheck[]>> = {
  'event logs': [
    (db, { after, upTo }) => db.all`
      select 'user ' || id || ' has no row in inbox_heads' as fault
      from users where id > ${after} and id <= ${upTo}
        and not exists (select 1 from inbox_heads where user_id = users.id) order by id`,
    (db, { after, upTo }) => db.all`
      select count(*) || ' events are in the log of ' || user_id || ', who has none' as fault
      from inbox where user_id > ${after} and user_id <= ${upTo}
      group by user_id having not exists (select 1 from inbox_heads where inbox_heads.user_id = inbox.user_id)
      order by user_id`,
    // Old events are removed from the beginning of a log alone.
    (db, { after, upTo }) => db.all`
      select case
        when received > seq then 'user ' || user_id || ' has acknowledged event ' || received || ', but their last is ' || seq
        when last <> seq then 'the log of user ' || user_id || ' ends with event ' || last || ', but inbox_heads has ' || seq
        else 'the log of user ' || user_id || ' has ' || events || ' events from ' || first || ' to ' || last
      end as fault
      from (
        select heads.user_id, heads.seq, heads.received, min(inbox.seq) as first, max(inbox.seq) as last, count(inbox.seq) as events
        from inbox_heads heads left join inbox on inbox.user_id = heads.user_id
        where heads.user_id > ${after} and heads.user_id <= ${upTo}
        group by heads.user_id, heads.seq, heads.received) logs
      where received > seq or last <> seq or last - first + 1 <> events
      order by user_id`,
  ],
  conversations: [
    (db, { after, upTo }) => db.all`
      select 'the conversation of ' || mine.user_id || ' with ' || mine.peer_id || ' has ' || case
        when theirs.n is null then 'no row for ' || mine.peer_id
        when theirs.revision <> mine.revision
          then mine.revision || ' changes of messages for the first and ' || theirs.revision || ' for the other'
        when theirs.n <> mine.n then mine.n || ' messages for the first and ' || theirs.n || ' for the other'
        else 'the last message at ' || mine.last_at || ' for the first and at ' || theirs.last_at || ' for the other'
      end as fault
      from conversations mine
      left join conversations theirs on theirs.user_id = mine.peer_id and theirs.peer_id = mine.user_id
      where mine.user_id > ${after} and mine.user_id <= ${upTo} and (theirs.n is null
        or (mine.user_id < mine.peer_id and (theirs.n <> mine.n or theirs.last_at <> mine.last_at or theirs.revision <> mine.revision)))
      order by mine.user_id, mine.peer_id`,
    (db, { after, upTo }) => db.all`
      select 'in the conversation of ' || user_id || ' with ' || peer_id || ', which has ' || n
        || ' messages, the marks (received ' || received || ', read ' || read || ') or the hour are wrong' as fault
      from conversations
      where user_id > ${after} and user_id <= ${upTo} and (read > received or received > n
        or disclosed_received > received or disclosed_read > read or last_hour <> last_at / 3600000)
      order by user_id, peer_id`,
  ],
  messages: [
    (db, { after, upTo }) => db.all`
      select 'the conversation of ' || user_id || ' with ' || peer_id || ' should have ' || n || ' messages, but '
        || messages || ' are stored, the last is ' || coalesce(cast(last as text), 'missing') as fault
      from (
        select user_id, peer_id, n,
          (select count(*) from messages where low_id = user_id and high_id = peer_id) as messages,
          (select max(messages.n) from messages where low_id = user_id and high_id = peer_id) as last
        from conversations where user_id > ${after} and user_id <= ${upTo} and user_id < peer_id) counted
      where n <> messages or last is null or n <> last order by user_id, peer_id`,
    (db, { after, upTo }) => db.all`
      select count(*) || ' messages of ' || low_id || ' and ' || high_id || ' belong to no conversation' as fault
      from messages where low_id > ${after} and low_id <= ${upTo}
      group by low_id, high_id
      having not exists (select 1 from conversations where user_id = messages.low_id and peer_id = messages.high_id)
      order by low_id, high_id`,
    (db, { after, upTo }) => db.all`
      select 'message ' || n || ' of ' || low_id || ' and ' || high_id || ' has ' || sender_id || ' as its sender' as fault
      from messages
      where low_id > ${after} and low_id <= ${upTo} and (low_id >= high_id or sender_id not in (low_id, high_id))
      order by low_id, high_id, n`,
  ],
  'unread counts': [
    // Counts as `markRead` does.
    (db, { after, upTo }) => db.all`
      select 'user ' || user_id || ' has ' || counted || ' unread messages of ' || peer_id || ', but ' || unread || ' are counted' as fault
      from (
        select user_id, peer_id, unread, (
          select count(*) from messages
          where low_id = case when user_id < peer_id then user_id else peer_id end
            and high_id = case when user_id < peer_id then peer_id else user_id end
            and messages.n > conversations.read and sender_id = peer_id and unsent_at is null
            and messages.n > coalesce((select cleared_n from conversation_settings
              where user_id = conversations.user_id and peer_id = conversations.peer_id), 0)) as counted
        from conversations where user_id > ${after} and user_id <= ${upTo}) counts
      where unread <> counted order by user_id, peer_id`,
  ],
  friends: [
    (db, { after, upTo }) => db.all`
      select 'for ' || mine.user_id || ' the relation to ' || mine.peer_id || ' is "' || mine.state || '", for the other it is '
        || coalesce('"' || theirs.state || '"', 'missing') as fault
      from friends mine left join friends theirs on theirs.user_id = mine.peer_id and theirs.peer_id = mine.user_id
      where mine.user_id > ${after} and mine.user_id <= ${upTo} and (theirs.state is null or theirs.state <>
        case mine.state when 'requested' then 'asked' when 'asked' then 'requested' else 'friends' end)
      order by mine.user_id, mine.peer_id`,
  ],
  'message requests': [
    (db, { after, upTo }) => db.all`
      select 'the message request of ' || peer_id || ' to ' || user_id || case
        when conversations_n is null then ' has no conversation'
        else ' waits with ' || messages || ' messages, but the conversation has ' || conversations_n end as fault
      from (
        select user_id, peer_id, state, messages, (
          select n from conversations
          where user_id = message_requests.user_id and peer_id = message_requests.peer_id) as conversations_n
        from message_requests where user_id > ${after} and user_id <= ${upTo}) requests
      where conversations_n is null or (state = 'waiting' and (messages < 1 or messages > conversations_n))
      order by user_id, peer_id`,
  ],
  pictures: [
    (db, { after, upTo }) => db.all`
      select 'the picture ' || id || ' of ' || owner_id || ' has ' || size || ' bytes, but ' || stored || ' are stored' as fault
      from (
        select id, owner_id, size, coalesce((select sum(length(bytes)) from picture_pieces
          where picture_pieces.id = pictures.id and part = 0), 0) as stored
        from pictures where owner_id > ${after} and owner_id <= ${upTo} and is_whole = 1) counted
      where size <> stored order by owner_id, id`,
    (db, { after, upTo }) => db.all`
      select 'message ' || n || ' of ' || low_id || ' and ' || high_id || ' has the picture ' || picture_id || ', which is missing' as fault
      from messages
      where low_id > ${after} and low_id <= ${upTo} and picture_id is not null and unsent_at is null
        and (select 1 from pictures where pictures.id = messages.picture_id and is_whole = 1 and remove_at is null
          and pictures.low_id = messages.low_id and pictures.high_id = messages.high_id) is null
      order by low_id, high_id, n`,
  ],
  addresses: [
    (db, { after, upTo }) => db.all`
      select 'the verified address of ' || user_id
        || case when users.status = 'deleted' and password_hash = '' then ' is left, but they are erased' else ' has another key' end as fault
      from emails join users on users.id = emails.user_id
      where emails.user_id > ${after} and emails.user_id <= ${upTo}
        and ((users.status = 'deleted' and password_hash = '') or address_key <> lower(address))
      order by user_id`,
  ],
  'push queue': [
    (db, { after, upTo }) => db.all`
      select 'a push to ' || pending.user_id || ' about ' || pending.peer_id || ' waits up to event ' || pending.last_seq
        || ', but their last is ' || heads.seq as fault
      from push_pending pending join inbox_heads heads on heads.user_id = pending.user_id
      where pending.user_id > ${after} and pending.user_id <= ${upTo}
        and (pending.last_seq > heads.seq or pending.first_seq > pending.last_seq)
      order by pending.user_id, pending.peer_id`,
  ],
};
