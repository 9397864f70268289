import type { Queries } from '../../db/db.ts';

/** Users from after one id up to another one, in the order of their ids. */
export interface UserRange {
  readonly after: string;
  readonly upTo: string;
}

/** @returns a sentence for each damaged row of the users in a range */
export type RowCheck = (db: Queries, range: UserRange) => Promise<string[]>;

interface ConversationRow {
  user_id: string;
  peer_id: string;
}

/** What must be true of the rows of users, whatever was written in which order. Each reads by indexes alone. */
export const ROW_CHECKS: Readonly<Record<string, readonly RowCheck[]>> = {
  'event logs': [findMissingHeads, findLogsWithoutHead, findWrongHeads],
  conversations: [findOneSided, findWrongMarks],
  messages: [findMiscounted, findWithoutConversation, findForeignSenders],
  'unread counts': [findWrongUnread],
  friends: [findOneSidedFriends],
  'push queue': [findWrongPending],
};

async function findMissingHeads(db: Queries, { after, upTo }: UserRange): Promise<string[]> {
  const rows = await db.all<{ id: string }>`
    select id from users where id > ${after} and id <= ${upTo}
      and not exists (select 1 from inbox_heads where user_id = users.id) order by id`;
  return rows.map(({ id }) => `user ${id} has no row in inbox_heads`);
}

async function findLogsWithoutHead(db: Queries, { after, upTo }: UserRange): Promise<string[]> {
  const rows = await db.all<{ user_id: string; events: number }>`
    select user_id, count(*) as events from inbox where user_id > ${after} and user_id <= ${upTo}
    group by user_id having not exists (select 1 from inbox_heads where inbox_heads.user_id = inbox.user_id)
    order by user_id`;
  return rows.map(({ user_id, events }) => `${events} events are in the log of ${user_id}, who has none`);
}

/** Old events are removed from the beginning of a log alone. */
async function findWrongHeads(db: Queries, { after, upTo }: UserRange): Promise<string[]> {
  const rows = await db.all<{
    user_id: string;
    seq: number;
    received: number;
    first: number | null;
    last: number | null;
    events: number;
  }>`
    select heads.user_id, heads.seq, heads.received, min(inbox.seq) as first, max(inbox.seq) as last, count(inbox.seq) as events
    from inbox_heads heads left join inbox on inbox.user_id = heads.user_id
    where heads.user_id > ${after} and heads.user_id <= ${upTo}
    group by heads.user_id, heads.seq, heads.received
    having heads.received > heads.seq or max(inbox.seq) <> heads.seq or max(inbox.seq) - min(inbox.seq) + 1 <> count(inbox.seq)
    order by heads.user_id`;
  return rows.map(({ user_id, seq, received, first, last, events }) => {
    if (received > seq) return `user ${user_id} has acknowledged event ${received}, but their last is ${seq}`;
    if (last !== seq) return `the log of user ${user_id} ends with event ${last}, but inbox_heads has ${seq}`;
    return `the log of user ${user_id} has ${events} events from ${first} to ${last}`;
  });
}

async function findOneSided(db: Queries, { after, upTo }: UserRange): Promise<string[]> {
  const rows = await db.all<
    ConversationRow & { n: number; last_at: number; peer_n: number | null; peer_last_at: number | null }
  >`
    select mine.user_id, mine.peer_id, mine.n, mine.last_at, theirs.n as peer_n, theirs.last_at as peer_last_at
    from conversations mine
    left join conversations theirs on theirs.user_id = mine.peer_id and theirs.peer_id = mine.user_id
    where mine.user_id > ${after} and mine.user_id <= ${upTo} and (theirs.n is null
      or (mine.user_id < mine.peer_id and (theirs.n <> mine.n or theirs.last_at <> mine.last_at)))
    order by mine.user_id, mine.peer_id`;
  return rows.map(({ user_id, peer_id, n, last_at, peer_n, peer_last_at }) => {
    const pair = `the conversation of ${user_id} with ${peer_id}`;
    if (peer_n === null) return `${pair} has no row for ${peer_id}`;
    if (peer_n !== n) return `${pair} has ${n} messages for the first and ${peer_n} for the other`;
    return `${pair} has the last message at ${last_at} for the first and at ${peer_last_at} for the other`;
  });
}

async function findWrongMarks(db: Queries, { after, upTo }: UserRange): Promise<string[]> {
  const rows = await db.all<ConversationRow & { n: number; received: number; read: number }>`
    select user_id, peer_id, n, received, read from conversations
    where user_id > ${after} and user_id <= ${upTo} and (read > received or received > n
      or disclosed_received > received or disclosed_read > read or last_hour <> last_at / 3600000)
    order by user_id, peer_id`;
  return rows.map(
    ({ user_id, peer_id, n, received, read }) =>
      `in the conversation of ${user_id} with ${peer_id}, which has ${n} messages, the marks (received ${received}, read ${read}) or the hour are wrong`,
  );
}

async function findMiscounted(db: Queries, { after, upTo }: UserRange): Promise<string[]> {
  const rows = await db.all<ConversationRow & { n: number; messages: number; last: number | null }>`
    select user_id, peer_id, n, messages, last from (
      select user_id, peer_id, n,
        (select count(*) from messages where low_id = user_id and high_id = peer_id) as messages,
        (select max(messages.n) from messages where low_id = user_id and high_id = peer_id) as last
      from conversations where user_id > ${after} and user_id <= ${upTo} and user_id < peer_id) counted
    where n <> messages or last is null or n <> last order by user_id, peer_id`;
  return rows.map(
    ({ user_id, peer_id, n, messages, last }) =>
      `the conversation of ${user_id} with ${peer_id} should have ${n} messages, but ${messages} are stored, the last is ${last ?? 'missing'}`,
  );
}

async function findWithoutConversation(db: Queries, { after, upTo }: UserRange): Promise<string[]> {
  const rows = await db.all<{ low_id: string; high_id: string; messages: number }>`
    select low_id, high_id, count(*) as messages from messages where low_id > ${after} and low_id <= ${upTo}
    group by low_id, high_id
    having not exists (select 1 from conversations where user_id = messages.low_id and peer_id = messages.high_id)
    order by low_id, high_id`;
  return rows.map(
    ({ low_id, high_id, messages }) =>
      `${messages} messages of ${low_id} and ${high_id} belong to no conversation`,
  );
}

async function findForeignSenders(db: Queries, { after, upTo }: UserRange): Promise<string[]> {
  const rows = await db.all<{ low_id: string; high_id: string; n: number; sender_id: string }>`
    select low_id, high_id, n, sender_id from messages
    where low_id > ${after} and low_id <= ${upTo} and (low_id >= high_id or sender_id not in (low_id, high_id))
    order by low_id, high_id, n`;
  return rows.map(
    ({ low_id, high_id, n, sender_id }) =>
      `message ${n} of ${low_id} and ${high_id} has ${sender_id} as its sender`,
  );
}

/** Counts as `markRead` does. */
async function findWrongUnread(db: Queries, { after, upTo }: UserRange): Promise<string[]> {
  const rows = await db.all<ConversationRow & { unread: number; counted: number }>`
    select user_id, peer_id, unread, counted from (
      select user_id, peer_id, unread, (
        select count(*) from messages
        where low_id = case when user_id < peer_id then user_id else peer_id end
          and high_id = case when user_id < peer_id then peer_id else user_id end
          and messages.n > conversations.read and sender_id = peer_id) as counted
      from conversations where user_id > ${after} and user_id <= ${upTo}) counts
    where unread <> counted order by user_id, peer_id`;
  return rows.map(
    ({ user_id, peer_id, unread, counted }) =>
      `user ${user_id} has ${counted} unread messages of ${peer_id}, but ${unread} are counted`,
  );
}

async function findOneSidedFriends(db: Queries, { after, upTo }: UserRange): Promise<string[]> {
  const rows = await db.all<ConversationRow & { state: string; peer_state: string | null }>`
    select mine.user_id, mine.peer_id, mine.state, theirs.state as peer_state
    from friends mine left join friends theirs on theirs.user_id = mine.peer_id and theirs.peer_id = mine.user_id
    where mine.user_id > ${after} and mine.user_id <= ${upTo} and (theirs.state is null or theirs.state <>
      case mine.state when 'requested' then 'asked' when 'asked' then 'requested' else 'friends' end)
    order by mine.user_id, mine.peer_id`;
  return rows.map(
    ({ user_id, peer_id, state, peer_state }) =>
      `for ${user_id} the relation to ${peer_id} is "${state}", for the other it is ${peer_state === null ? 'missing' : `"${peer_state}"`}`,
  );
}

async function findWrongPending(db: Queries, { after, upTo }: UserRange): Promise<string[]> {
  const rows = await db.all<ConversationRow & { last_seq: number; seq: number }>`
    select pending.user_id, pending.peer_id, pending.last_seq, heads.seq
    from push_pending pending join inbox_heads heads on heads.user_id = pending.user_id
    where pending.user_id > ${after} and pending.user_id <= ${upTo}
      and (pending.last_seq > heads.seq or pending.first_seq > pending.last_seq)
    order by pending.user_id, pending.peer_id`;
  return rows.map(
    ({ user_id, peer_id, last_seq, seq }) =>
      `a push to ${user_id} about ${peer_id} waits up to event ${last_seq}, but their last is ${seq}`,
  );
}
