import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DatabaseSettings, onEachDatabase } from '../../test/databases.ts';
import { findFaults, openOf, runImport, toLines } from '../../test/imported.ts';
import { settingsOf, startCommand } from '../../test/processes.ts';

/** Several batches of each kind. */
const EACH = 4_500;
const id = (n: number) => `auth0|${n % EACH}`;
const numbers = Array.from({ length: EACH }, (_, n) => n);
const hash = `$2b$04$${'a'.repeat(21)}u${'a'.repeat(30)}u`;

/** The lines of each kind, and the table that they fill. */
const KINDS = {
  users: numbers.map((n) => ({ id: id(n), username: `user${n}`, password_hash: hash, created_at: n })),
  friends: numbers.map((n) => ({ friends: [id(n), id(n + 1)], at: n })),
  blocks: numbers.map((n) => ({ block: { by: id(n % 50), of: id(n + 51) }, at: n })),
  messages: numbers.map((n) => ({
    message: {
      id: `m${n}`,
      from: id((n >> 3) + (n & 1)),
      to: id((n >> 3) + 1 - (n & 1)),
      body: `${n}`,
      at: n,
      read: n % 8 < 6,
    },
  })),
};

async function countOf(data: DatabaseSettings, table: keyof typeof KINDS): Promise<number> {
  await using db = await openOf(data);
  const counts = await db.get<Record<string, number>>`
    select (select count(*) from users) as users, (select count(*) from friends) as friends,
      (select count(*) from blocks) as blocks, (select count(*) from messages) as messages`;
  return counts?.[table] ?? 0;
}

async function dump(data: DatabaseSettings): Promise<unknown[]> {
  await using db = await openOf(data);
  return [
    await db.all`select id, username, created_at from users order by id`,
    await db.all`select user_id, seq from inbox_heads order by user_id`,
    await db.all`select user_id, peer_id, state, at from friends order by user_id, peer_id`,
    await db.all`select blocker_id, blocked_id, created_at, position from blocks order by blocker_id, position`,
    await db.all`select low_id, high_id, n, sender_id, cid, body, at from messages order by low_id, high_id, n`,
    await db.all`
      select user_id, peer_id, n, last_at, last_hour, received, read, unread, disclosed_received, disclosed_read
      from conversations order by user_id, peer_id`,
  ];
}

onEachDatabase('import and kill -9', (database) => {
  test('an import that was killed amid each kind of line ends, when it is repeated, as one that was not', async (t) => {
    const [killed, whole] = [await database.create(t), await database.create(t)];
    const before: object[] = [];
    for (const [kind, lines] of Object.entries(KINDS)) {
      const table = kind as keyof typeof KINDS; // `entries` forgets the names
      await using command = startCommand(settingsOf(killed), ['import', '-']);
      // Without its last line, so that it cannot come to the end of this kind.
      command.child.stdin.write(toLines(...before, ...lines.slice(0, -1)));
      await t.waitFor(async () => assert.ok((await countOf(killed, table)) > 0), {
        timeout: 60_000,
        interval: 5,
      });
      command.child.kill('SIGKILL');
      assert.equal((await command.ended).code, null);
      const count = await countOf(killed, table);
      assert.ok(
        count > 0 && count < lines.length * (table === 'friends' ? 2 : 1),
        `${count} rows of ${table}`,
      );
      before.push(...lines);
    }
    const { code, output, errors } = await runImport(settingsOf(killed), toLines(...before));
    assert.deepEqual([code, errors], [0, '']);
    const [, imported, present] = /^imported (\d+), already there (\d+), refused 0$/m.exec(output) ?? [];
    assert.equal(Number(imported) + Number(present), 4 * EACH);
    assert.ok(Number(imported) > 0 && Number(present) > 3 * EACH, output);

    assert.equal((await runImport(settingsOf(whole), toLines(...before))).code, 0);
    assert.deepEqual(await dump(killed), await dump(whole));
    assert.deepEqual(await findFaults(killed), []);
  });
});
