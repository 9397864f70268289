import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { inBatches } from '../../db/batches.ts';
import type { Db } from '../../db/db.ts';
import { inList } from '../../db/fragments.ts';
import { getOrCreateValue } from '../../db/installation-values.ts';
import type { ReceiptBody } from '../schemas.ts';

const KEY = 'push-receipt-key';
const ID_BYTES = 16;
const MAC_BYTES = 16;
/** Id and MAC together, in URL-safe Base64. */
const RECEIPT = /^[\w-]{43}$/;
/** After this time the entry exists, or it never will. */
const EARLY_MS = 60 * 60 * 1000;

/**
 * Issues and verifies push receipts. A receipt is the id of an entry in the push log with an HMAC of 128 bits, so only
 * the device that got the push knows it, and it is verified without the database, even before the entry exists.
 */
export class PushReceipts {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** @param logId a UUID */
  issue(logId: string): string {
    const id = Buffer.from(logId.replaceAll('-', ''), 'hex');
    return Buffer.concat([id, this.#mac(id)]).toString('base64url');
  }

  /** @returns the id of the entry; `undefined` for anything that was not issued here */
  read(receipt: string): string | undefined {
    if (!RECEIPT.test(receipt)) return undefined;
    const bytes = Buffer.from(receipt, 'base64url');
    const id = bytes.subarray(0, ID_BYTES);
    if (!timingSafeEqual(bytes.subarray(ID_BYTES), this.#mac(id))) return undefined;
    return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  }

  #mac(id: Buffer): Buffer {
    return createHmac('sha256', this.#key).update(id).digest().subarray(0, MAC_BYTES);
  }
}

/** Makes the key at first start and stores it. */
export async function openPushReceipts(db: Db): Promise<PushReceipts> {
  const key = await getOrCreateValue(db, KEY, () => randomBytes(32).toString('base64url'));
  return new PushReceipts(Buffer.from(key, 'base64url'));
}

/**
 * Records that a notification was shown or clicked; a click implies that it was shown. The first time of each is kept.
 * If the push's entry is not in the log yet, the receipt is stored beside it and {@link listPushLog} joins it.
 */
export async function saveReceipt(
  db: Db,
  logId: string,
  event: ReceiptBody['event'],
  now: number,
): Promise<void> {
  const clickedAt = event === 'clicked' ? now : null;
  await db.transaction(async (tx) => {
    const updated = await tx.run`
      update push_log set shown_at = coalesce(shown_at, ${now}), clicked_at = coalesce(clicked_at, ${clickedAt})
      where id = ${logId}`;
    if (updated > 0) return;
    await tx.run`
      insert into push_early_receipts (log_id, shown_at, clicked_at) values (${logId}, ${now}, ${clickedAt})
      on conflict (log_id) do update set
        clicked_at = coalesce(push_early_receipts.clicked_at, excluded.clicked_at)`;
  });
}

/** Moves early receipts into the log after an hour, and drops those whose entry no longer exists. */
export async function applyEarlyReceipts(db: Db, now: number): Promise<void> {
  const before = now - EARLY_MS;
  await inBatches((limit) =>
    db.transaction(async (tx) => {
      const rows = await tx.all<{ log_id: string }>`
        select log_id from push_early_receipts where shown_at < ${before} order by shown_at limit ${limit}`;
      const logIds = inList(rows.map((row) => row.log_id));
      await tx.run`
        update push_log set shown_at = early.shown_at, clicked_at = coalesce(early.clicked_at, push_log.clicked_at)
        from push_early_receipts early where early.log_id = push_log.id and push_log.id in ${logIds}`;
      return tx.run`delete from push_early_receipts where log_id in ${logIds}`;
    }),
  );
}
