import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openCipher, testInstallation } from '../../test/ciphers.ts';
import { ManualClock } from '../../test/clocks.ts';

const NOTE = { type: 'note', n: 7, data: { text: 'héllo' } };

function startPair() {
  const clock = new ManualClock();
  const lines: object[] = [];
  const [first, second] = [openCipher(clock.world), openCipher(clock.world, { lines })];
  return { clock, first, second, lines };
}

test('a message is read by other nodes of the installation, and not by its sender', () => {
  const { first, second } = startPair();
  const bytes = first.encrypt('all', NOTE);
  assert.deepEqual(second.decrypt('all', bytes), { from: first.name, ...NOTE });
  assert.equal(first.decrypt('all', bytes), undefined);
  assert.deepEqual([first.dropped.totals, second.dropped.totals], Array(2).fill(totals({})));
});

test('a message is version 2, name, counter, AES-256-GCM: HKDF of the name gives the key, and the counter is the nonce', async () => {
  const { clock, first } = startPair();
  first.encrypt('all', NOTE);
  const bytes = first.encrypt('all', NOTE);
  assert.deepEqual([bytes[0], bytes.toString('latin1', 1, 37)], [2, first.name]);
  assert.equal(bytes.toString('hex', 37, 43), '000000000002');
  const root = await crypto.subtle.importKey('raw', new Uint8Array(testInstallation.key), 'HKDF', false, [
    'deriveKey',
  ]);
  const [salt, info] = [Buffer.from(first.name), Buffer.from('doorman messages 2 test')];
  const key = await crypto.subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt, info },
    root,
    { name: 'AES-GCM', length: 256 },
    false,
    ['decrypt'],
  );
  const iv = Buffer.from('000000000000000000000002', 'hex');
  const additionalData = Buffer.from('all');
  const text = await crypto.subtle.decrypt(
    { name: 'AES-GCM', iv, additionalData },
    key,
    new Uint8Array(bytes.subarray(43)),
  );
  assert.deepEqual(JSON.parse(Buffer.from(text).toString()), { at: clock.world.now(), ...NOTE });
});

test('no two messages of one name have one counter, and another name has another key', () => {
  const { first, second } = startPair();
  const messages = Array.from({ length: 100 }, () => first.encrypt('all', NOTE));
  assert.equal(new Set(messages.map((bytes) => bytes.toString('hex', 1, 43))).size, 100);
  assert.notEqual(first.name, second.name);
  const [own, other] = [messages[0], second.encrypt('all', NOTE)];
  assert.equal(own?.toString('hex', 37, 43), other.toString('hex', 37, 43));
  assert.notDeepEqual(own?.subarray(43), other.subarray(43));
});

test('what no node of the installation wrote for this channel is dropped', () => {
  const { clock, first, second } = startPair();
  const stranger = (installation: Partial<typeof testInstallation>) =>
    openCipher(clock.world, { installation: { ...testInstallation, ...installation } }).encrypt('all', NOTE);
  const changed = (at: number) => {
    const bytes = first.encrypt('all', NOTE);
    bytes.writeUInt8((bytes.at(at) ?? 0) ^ 1, at < 0 ? bytes.length + at : at);
    return bytes;
  };
  const forged: Buffer[] = [
    stranger({ key: Buffer.alloc(32, 1) }),
    stranger({ name: 'a copy of the database' }),
    first.encrypt('node:other', NOTE),
    ...[0, 1, 36, 42, 43, 60, -17, -1].map(changed),
    first.encrypt('all', NOTE).subarray(0, -1),
    Buffer.concat([first.encrypt('all', NOTE), Buffer.from([0])]),
    Buffer.alloc(0),
    Buffer.alloc(58, 2),
    Buffer.alloc(59, 2),
    Buffer.from(JSON.stringify({ v: 2, from: first.name, ...NOTE, at: clock.world.now() })),
  ];
  for (const [i, bytes] of forged.entries())
    assert.equal(second.decrypt('all', bytes), undefined, `the message ${i}`);
  assert.deepEqual(second.dropped.totals, totals({ unverified: forged.length }));
  assert.deepEqual(second.decrypt('all', first.encrypt('all', NOTE))?.data, NOTE.data);
});

test('a message with no higher counter than the last one of its sender is dropped, whatever its channel', () => {
  const { first, second } = startPair();
  const [a, b, c] = ['all', 'node:second', 'all'].map((channel) => first.encrypt(channel, NOTE));
  assert.ok(a && b && c);
  assert.ok(second.decrypt('all', a));
  assert.ok(second.decrypt('all', c));
  assert.equal(second.decrypt('node:second', b), undefined, 'it was overtaken');
  for (const bytes of [a, c]) assert.equal(second.decrypt('all', bytes), undefined);
  assert.deepEqual(second.dropped.totals, totals({ repeated: 3 }));
});

test('a message is read for 15 s of the shared clock; one from further ahead is dropped too, and none comes back', () => {
  const { clock, first } = startPair();
  let aheadMs = 0;
  const second = openCipher({ ...clock.world, now: () => clock.world.now() + aheadMs });
  const send = (atMs: number) => {
    const bytes = first.encrypt('all', NOTE);
    aheadMs = atMs;
    return { bytes, isRead: second.decrypt('all', bytes) !== undefined };
  };
  assert.deepEqual(
    [15_000, 15_001, -15_000, -15_001].map((atMs) => send(atMs).isRead),
    [true, false, true, false],
  );
  const { bytes } = send(60_000);
  aheadMs = 0; // the clock was set back
  assert.equal(second.decrypt('all', bytes), undefined);
  assert.deepEqual(second.dropped.totals, totals({ outdated: 3, repeated: 1 }));
});

test('no number of old messages makes a node forget the counter of another one', () => {
  const { clock, first, second } = startPair();
  const old = Array.from({ length: 2_000 }, () => openCipher(clock.world).encrypt('all', NOTE));
  clock.add(15_001);
  const bytes = first.encrypt('all', NOTE);
  assert.ok(second.decrypt('all', bytes));
  for (const message of old) assert.equal(second.decrypt('all', message), undefined);
  assert.equal(second.decrypt('all', bytes), undefined);
  assert.deepEqual(second.dropped.totals, totals({ outdated: 2_000, repeated: 1 }));
});

test('what is dropped is warned about at once, and then once a minute with its numbers', () => {
  const { clock, second, lines } = startPair();
  const drop = () => second.decrypt('all', Buffer.from('x'));
  for (let i = 0; i < 3; i++) drop();
  second.dropped.count('malformed');
  clock.add(59_999);
  drop();
  assert.deepEqual(lines, [{ dropped: totals({ unverified: 1 }) }]);
  clock.add(1);
  drop();
  assert.deepEqual(lines.slice(1), [{ dropped: totals({ unverified: 4, malformed: 1 }) }]);
});

function totals(counts: Partial<Record<'unverified' | 'repeated' | 'outdated' | 'malformed', number>>) {
  return { unverified: 0, repeated: 0, outdated: 0, malformed: 0, ...counts };
}
