import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDatabase } from '../../../test/databases.ts';
import { findVapidFlaw } from '../../../test/push-receiver.ts';
import { openVapidKeyring, rotateVapidKeys } from './vapid-keys.ts';

const NOW = 1_790_000_000_000;
const ORIGIN = 'https://push.example';

onEachDatabase('the VAPID keyring', (database) => {
  test('the key is made at first start and kept: a 65-byte point in URL-safe Base64 without padding', async (t) => {
    const db = await database.open(t);
    const first = await openVapidKeyring(db, 'mailto:a@example.com', () => NOW);
    assert.match(first.publicKey, /^B[\w-]{86}$/);
    const second = await openVapidKeyring(db, 'mailto:a@example.com', () => NOW);
    assert.equal(second.publicKey, first.publicKey);
  });

  test('processes that start at once have one key', async (t) => {
    const db = await database.open(t);
    const all = await Promise.all(
      Array.from({ length: 5 }, () => openVapidKeyring(db, 'mailto:a@b', () => NOW)),
    );
    assert.equal(new Set(all.map((keyring) => keyring.publicKey)).size, 1);
  });

  test('after a rotation new subscriptions get the new key, and each is signed for with its own', async (t) => {
    const db = await database.open(t);
    const keyring = await openVapidKeyring(db, 'mailto:a@b', () => NOW);
    const keys = [keyring.publicKey];
    for (let i = 0; i < 2; i++) {
      await rotateVapidKeys(db);
      await keyring.reload(db);
      keys.push(keyring.publicKey);
    }
    assert.equal(new Set(keys).size, 3);
    const reopened = await openVapidKeyring(db, 'mailto:a@b', () => NOW);
    assert.equal(reopened.publicKey, keys[2]);
    for (const ring of [keyring, reopened])
      for (const applicationServerKey of keys) {
        const header = ring.signerFor(applicationServerKey).header(ORIGIN);
        assert.equal(findVapidFlaw(header, { origin: ORIGIN, now: NOW, applicationServerKey }), undefined);
      }
  });

  test('a key that the database has lost signs for its subscriptions, and new ones get the newest that it has', async (t) => {
    const db = await database.open(t);
    const keyring = await openVapidKeyring(db, 'mailto:a@b', () => NOW);
    const kept = keyring.publicKey;
    const before = await db.get<{ value: string }>`select value from service where name = 'vapid-keys'`;
    await rotateVapidKeys(db);
    await keyring.reload(db);
    const lost = keyring.publicKey;
    await db.run`update service set value = ${before?.value ?? ''} where name = 'vapid-keys'`;
    await keyring.reload(db);
    assert.deepEqual([keyring.publicKey, keyring.signerFor(lost).publicKey], [kept, lost]);
  });

  test('a subscription whose key is unknown is signed for with the newest', async (t) => {
    const db = await database.open(t);
    const keyring = await openVapidKeyring(db, 'mailto:a@b', () => NOW);
    assert.equal(keyring.signerFor('from elsewhere').publicKey, keyring.publicKey);
  });

  test('the private key does not appear in a serialized keyring', async (t) => {
    const db = await database.open(t);
    const keyring = await openVapidKeyring(db, 'mailto:a@b', () => NOW);
    const row = await db.get<{ value: string }>`select value from service where name = 'vapid-keys'`;
    const [{ privateKey }] = JSON.parse(row?.value ?? '[]');
    assert.match(privateKey, /^[\w-]{43}$/);
    assert.ok(!JSON.stringify(keyring).includes(privateKey));
  });
});
