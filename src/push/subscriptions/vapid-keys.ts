import type { Db } from '../../db/db.ts';
import { getOrCreateValue, lockValue, replaceValue } from '../../db/installation-values.ts';
import { recordExternalChange } from '../../events/changes.ts';
import { makeVapidKeys, openVapid, type VapidKeys, type VapidSigner } from '../webpush/vapid.ts';

const KEYS = 'vapid-keys';

/**
 * All VAPID keys that this installation has ever given out. The first is made at first start. A subscription is bound
 * to the key it was made with (RFC 8292 4), so a rotation adds a key and removes none.
 */
export class VapidKeyring {
  readonly #subject: string;
  readonly #now: () => number;
  /** The newest last. */
  readonly #byPublicKey = new Map<string, VapidSigner>();

  constructor(subject: string, now: () => number) {
    this.#subject = subject;
    this.#now = now;
  }

  /** The key for new subscriptions: the 65-byte point in URL-safe Base64 without padding (interface 4.13). */
  get publicKey(): string {
    return this.publicKeys.at(-1) ?? '';
  }

  /** The public keys of all, the newest last. */
  get publicKeys(): string[] {
    return [...this.#byPublicKey.keys()];
  }

  /** The signer for subscriptions made with `publicKey`; for an unknown key, that of the newest. */
  signerFor(publicKey: string): VapidSigner {
    const vapid = this.#byPublicKey.get(publicKey) ?? this.#byPublicKey.get(this.publicKey);
    if (!vapid) throw new Error('the database holds no VAPID key');
    return vapid;
  }

  /** Reads the keys again, after a command of the operator has added one. */
  async reload(db: Db): Promise<void> {
    const [subject, now] = [this.#subject, this.#now];
    for (const keys of readKeys(await getOrCreateValue(db, KEYS, () => JSON.stringify([makeVapidKeys()])))) {
      const signer = this.#byPublicKey.get(keys.publicKey) ?? openVapid({ keys, subject, now });
      // Behind keys that the database has lost, as after a failover: one of those would be unknown at the next start.
      this.#byPublicKey.delete(keys.publicKey);
      this.#byPublicKey.set(keys.publicKey, signer);
    }
  }
}

export async function openVapidKeyring(db: Db, subject: string, now: () => number): Promise<VapidKeyring> {
  const keyring = new VapidKeyring(subject, now);
  await keyring.reload(db);
  return keyring;
}

/** Adds a key for new subscriptions. Existing subscriptions keep theirs and continue to work. */
export async function rotateVapidKeys(db: Db): Promise<void> {
  const added = makeVapidKeys();
  await db.transaction(async (tx) => {
    await replaceValue(tx, KEYS, JSON.stringify([...readKeys(await lockValue(tx, KEYS)), added]));
    await recordExternalChange(tx);
  });
}

function readKeys(text: string | undefined): VapidKeys[] {
  return JSON.parse(text ?? '[]') as VapidKeys[]; // written by this file alone
}
