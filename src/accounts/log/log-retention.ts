import { inBatches } from '../../db/batches.ts';
import type { Db } from '../../db/db.ts';
import { asTable, inList } from '../../db/fragments.ts';
import { getOrCreateValue, replaceValue } from '../../db/installation-values.ts';
import { storedNetworkOf } from '../../http/client-address.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const KEPT_MS = 180 * DAY_MS;
/** How long an entry has the whole address. */
const WHOLE_ADDRESS_MS = 30 * DAY_MS;
/** How many of the newest entries a user keeps. Failed sign-ins come last, so they push nothing else out. */
const KEPT = 1_000;
/** How many of these may be failed sign-ins. */
const KEPT_FAILURES = 200;

const CUT = { id: 'text', address: 'text' } as const;

type Entry = { readonly id: string; readonly user_id: string; readonly at: number; readonly address: string };
type Work = (db: Db, page: readonly Entry[]) => Promise<void>;

/** Removes and shortens what the log keeps no longer. Several processes may do it at once. @param now epoch milliseconds */
export async function cleanLog(db: Db, now: number): Promise<void> {
  await inBatches(
    (limit) => db.run`
      delete from account_log where id in (
        select id from account_log where at <= ${now - KEPT_MS} order by at limit ${limit})`,
  );
  await inPages(db, 'account-log-cut-until', now - WHOLE_ADDRESS_MS, cutAddresses);
  await inPages(db, 'account-log-counted-until', now, removeSurplus);
}

/**
 * Passes the entries between the moment stored as `name` and `until` to `work`, in pages, and stores the moment after each page: after a
 * fault the next call goes on from there. If the wall clock was set back, this call finds no entry, and the next one begins at `until`.
 */
async function inPages(db: Db, name: string, until: number, work: Work): Promise<void> {
  let last = { at: Number(await getOrCreateValue(db, name, () => '0')), id: '' };
  await inBatches(async (limit) => {
    const page = await db.all<Entry>`
      select id, user_id, at, address from account_log
      where (at, id) > (${last.at}, ${last.id}) and at <= ${until} order by at, id limit ${limit}`;
    await work(db, page);
    last = page.at(-1) ?? last;
    await replaceValue(db, name, String(page.length < limit ? until : last.at));
    return page.length;
  });
}

/** Leaves the network of each address. */
async function cutAddresses(db: Db, page: readonly Entry[]): Promise<void> {
  const whole = page.filter(({ address }) => address !== '' && !address.includes('/'));
  const cut = whole.map(({ id, address }) => ({ id, address: storedNetworkOf(address) }));
  await db.run`
    update account_log set address = cut.address from ${asTable(CUT, cut)} as cut where account_log.id = cut.id`;
}

/** Removes the oldest entries of the users of this page, beyond what a user keeps. */
async function removeSurplus(db: Db, page: readonly Entry[]): Promise<void> {
  const found = await db.all<{ user_id: string }>`
    select user_id from account_log where user_id in ${inList([...new Set(page.map((entry) => entry.user_id))])}
    group by user_id having count(*) > ${KEPT_FAILURES}`;
  for (const { user_id } of found)
    await inBatches(
      (limit) => db.run`
        delete from account_log where id in (
          select id from (
            select id, what, row_number() over (order by what = 'sign_in_failed', id desc) as place,
              row_number() over (partition by what = 'sign_in_failed' order by id desc) as place_of_kind
            from account_log where user_id = ${user_id}) as ranked
          where place > ${KEPT} or (what = 'sign_in_failed' and place_of_kind > ${KEPT_FAILURES}) limit ${limit})`,
    );
}
