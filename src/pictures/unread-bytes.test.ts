import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { openConnection } from '../../test/bad-input/raw-connection.ts';
import { onSqlite } from '../../test/databases.ts';
import { eventually } from '../../test/eventually.ts';
import { startPicturing } from '../../test/picturing.ts';
import { ServiceError } from '../errors.ts';
import { UnreadBytes } from './unread-bytes.ts';

const MIB = 1024 * 1024;
const OVERLOADED = { kind: 'rate-limited', word: 'overloaded' };
const pending = () => new Writable({ write() {} });

test('a user has 16 MiB of answers that were not taken, all have 128, each for a minute', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const unread = new UnreadBytes();
  const answers = Array.from({ length: 16 }, pending);
  const [first, second] = answers;
  for (const answer of answers) unread.hold('alice', MIB, answer);
  assert.throws(() => unread.hold('alice', 1, pending()), OVERLOADED);
  for (let user = 1; user < 8; user++) unread.hold(`user${user}`, 16 * MIB, pending());
  assert.throws(() => unread.hold('bob', 1, pending()), OVERLOADED);
  first?.end();
  await once(first ?? pending(), 'close');
  unread.hold('alice', MIB, pending());
  assert.throws(() => unread.hold('bob', 1, pending()), OVERLOADED);
  t.mock.timers.tick(60_000);
  await once(second ?? pending(), 'close');
  unread.hold('alice', 16 * MIB, pending());
});

onSqlite('Pictures that are not taken', (database) => {
  test('of forty answers on a connection that takes none some are refused, until it ends; others get theirs', async (t) => {
    const off = { RATE_LIMIT_PICTURE_READS: 'off', RATE_LIMIT_API: 'off' };
    const { service, alice, bob, upload, get } = await startPicturing(t, database, off);
    const { id } = await upload(alice, 1000);
    const other = await upload(bob, 1000);
    const { mock } = t.mock.method(UnreadBytes.prototype, 'hold');
    const connection = await openConnection(service.port);
    connection.socket.pause();
    const request = `GET /api/pictures/${id} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${alice.token}\r\n\r\n`;
    connection.write(request.repeat(40));
    await eventually(async () => mock.callCount() === 40);
    assert.ok(mock.calls.some(({ error }) => error instanceof ServiceError && error.word === 'overloaded'));
    assert.equal((await get(bob, other.id)).status, 200);
    connection.socket.destroy();
    await eventually(async () => {
      const answers = await Promise.all(Array.from({ length: 15 }, () => get(alice, id)));
      return answers.every(({ status }) => status === 200);
    });
  });
});
