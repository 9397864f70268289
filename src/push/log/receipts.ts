import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Db } from '../../db/db.ts';
import { keepFact } from '../../db/installation-values.ts';
import { inPieces } from '../../db/pieces.ts';
import type { ReceiptBody } from '../schemas.ts';

const KEY = 'push-receipt-key';
const ID_BYTES = 16;
const SEAL_BYTES = 16;
/** Of both together, in Base64. */
const RECEIPT = /^[\w-]{43}$/;
/** By then the entry is there, or it never will be. */
const EARLY_MS = 60 * 60 * 1000;

/**
 * Names entries of the push log to whoever got the push, and to nobody else: a receipt is the id of the entry with a
 * seal of 128 bits, so it can be told from an invented one without asking the database, also before the entry is there.
 */
export class PushReceipts {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** @param logId a UUID */
  issue(logId: string): string {
    const id = Buffer.from(logId.replaceAll('-', ''), 'hex');
    return Buffer.concat([id, this.#seal(id)]).toString('base64url');
  }

  /** @returns the id of the entry; `undefined` for anything that was not issued here */
  read(receipt: string): string | undefined {
    if (!RECEIPT.test(receipt)) return undefined;
    const bytes = Buffer.from(receipt, 'base64url');
    const id = bytes.subarray(0, ID_BYTES);
    if (!timingSafeEqual(bytes.subarray(ID_BYTES), this.#seal(id))) return undefined;
    return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  }

  #seal(id: Buffer): Buffer {
    return createHmac('sha256', this.#key).update(id).digest().subarray(0, SEAL_BYTES);
  }
}

/** The key is made at first start and kept. */
export async function openPushReceipts(db: Db): Promise<PushReceipts> {
  const key = await keepFact(db, KEY, () => randomBytes(32).toString('base64url'));
  return new PushReceipts(Buffer.from(key, 'base64url'));
}

/**
 * A notification was shown, or clicked, which only one that is shown can be. The first time of each is kept. It may come
 * before what became of the push is written down: then it waits beside the log, where whoever reads the log finds it.
 */
export async function noteReceipt(
  db: Db,
  logId: string,
  event: ReceiptBody['event'],
  now: number,
): Promise<void> {
  const clickedAt = event === 'clicked' ? now : null;
  await db.transaction(async (tx) => {
    const noted = await tx.run`
      update push_log set shown_at = coalesce(shown_at, ${now}), clicked_at = coalesce(clicked_at, ${clickedAt})
      where id = ${logId}`;
    if (noted > 0) return;
    await tx.run`
      insert into push_early_receipts (log_id, shown_at, clicked_at) values (${logId}, ${now}, ${clickedAt})
      on conflict (log_id) do update set
        clicked_at = coalesce(push_early_receipts.clicked_at, excluded.clicked_at)`;
  });
}

/** Moves what came early into the log, once it is certain that the entry is there; the rest is of entries that are not kept. */
export async function settleEarlyReceipts(db: Db, now: number): Promise<void> {
  const before = now - EARLY_MS;
  await inPieces((limit) =>
    db.transaction(async (tx) => {
      const rows = await tx.all<{ log_id: string }>`
        select log_id from push_early_receipts where shown_at < ${before} order by shown_at limit ${limit}`;
      const logIds = tx.list(rows.map((row) => row.log_id));
      await tx.run`
        update push_log set
          shown_at = (select early.shown_at from push_early_receipts early where early.log_id = push_log.id),
          clicked_at = coalesce(
            (select early.clicked_at from push_early_receipts early where early.log_id = push_log.id), clicked_at)
        where id in ${logIds}`;
      return tx.run`delete from push_early_receipts where log_id in ${logIds}`;
    }),
  );
}
