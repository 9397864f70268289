import { inBatches } from '../../db/batches.ts';
import type { Db } from '../../db/db.ts';
import { type AccountAct, type ActingClient, logActs } from './account-log.ts';

/** Bounds the memory, and the entries of a minute; failures of further users and addresses stay out of the log. */
const MAX_COUNTED = 10_000;

/**
 * Counts failed sign-ins, so that a guesser causes one entry a minute for a user and an address. Those of one IPv6 network share an
 * entry, which has the last client.
 */
export function openFailedSignIns(db: Db, now: () => number) {
  const counted = new Map<string, AccountAct & { readonly detail: { n: number } }>();

  return {
    /**
     * @param userId `undefined`: there is no such user, and no log
     * @param addressKey `addressKeyOf` of the request
     */
    count(userId: string | undefined, addressKey: string, client: ActingClient): void {
      const key = `${userId} ${addressKey}`;
      const n = (counted.get(key)?.detail.n ?? 0) + 1;
      if (userId === undefined || (n === 1 && counted.size >= MAX_COUNTED)) return;
      counted.set(key, { ...client, userId, what: 'sign_in_failed', at: now(), detail: { n } });
    },

    /** Writes what was counted since the last call. What a fault leaves over is written by the next call. */
    async flush(): Promise<void> {
      const acts = [...counted];
      counted.clear();
      try {
        await inBatches(async (limit) => {
          const batch = acts.slice(0, limit).map(([, act]) => act);
          if (batch.length > 0) await logActs(db, batch);
          return acts.splice(0, limit).length;
        });
      } finally {
        for (const [key, act] of acts) {
          const n = act.detail.n + (counted.get(key)?.detail.n ?? 0);
          counted.set(key, { ...act, ...counted.get(key), detail: { n } });
        }
      }
    },
  };
}
