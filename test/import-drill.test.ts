import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand } from './commands.ts';
import { onEachDatabase } from './databases.ts';
import { toLines } from './imported.ts';
import { settingsOf, startCommand, startServer } from './processes.ts';
import { makeTemporaryFolder, removeFolder } from './temporary-folders.ts';

const USERS = 10_000;
const BLOCKS = 1_000;
const MESSAGES_OF_EACH = 5;
/** Users whom the product's backend signs in at the end. */
const SIGN_INS = 20;

const hex = (n: number, length: number) => createHash('sha256').update(`${n}`).digest('hex').slice(0, length);
const uuid = (n: number) => hex(n, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
/** As products have them: numbers, UUIDs, ObjectIds, and those of two identity providers. */
const FORMS = [
  (n: number) => `${n}`,
  uuid,
  (n: number) => hex(n, 24),
  (n: number) => `auth0|${hex(n, 24)}`,
  (n: number) => `eu-west-1:${uuid(n)}`,
];
const id = (n: number) => FORMS[n % FORMS.length]?.(n % USERS) ?? '';
const numbers = Array.from({ length: USERS }, (_, n) => n);

/** Each user writes to the next one; of every third conversation the last two messages are unread. */
const unreadOf = (n: number) => (n % 3 === 0 ? 2 : 0);
const messages = numbers.flatMap((n) =>
  Array.from({ length: MESSAGES_OF_EACH }, (_, i) => ({
    message: {
      id: `m${n}-${i}`,
      from: id(n),
      to: id(n + 1),
      body: `message ${i} of ${n}`,
      at: 1_700_000_000_000 + i,
      ...(i >= MESSAGES_OF_EACH - unreadOf(n) && { read: false }),
    },
  })),
);

onEachDatabase('a product with 10,000 users moves in', (database) => {
  test('one file brings all of it, check finds nothing, and its users see their conversations', async (t) => {
    const folder = await makeTemporaryFolder('moves-in');
    t.after(() => removeFolder(folder));
    const file = join(folder, 'product.jsonl');
    const hash = `$2b$04$${'a'.repeat(21)}u${'a'.repeat(30)}u`;
    await writeFile(
      file,
      toLines(
        ...numbers.map((n) => ({ id: id(n), username: `user${n}`, password_hash: hash, created_at: n })),
        ...numbers.map((n) => ({ friends: [id(n), id(n + 1)], at: n })),
        ...numbers.slice(0, BLOCKS).map((n) => ({ block: { by: id(n), of: id(n + 2) }, at: n })),
        ...messages,
      ),
    );
    const settings = settingsOf(await database.create(t));
    {
      await using command = startCommand(settings, ['import', file]);
      const { code, output } = await command.ended;
      const lines = 2 * USERS + BLOCKS + messages.length;
      assert.equal(code, 0);
      assert.match(output, RegExp(`^imported ${lines}, already there 0, refused 0\n`));
    }

    const key = (await runCommand(settings, ['api-key', 'add', 'backend'])).output.trim();
    await using server = await startServer(settings);
    const { code, output } = await runCommand(settings, ['check']);
    assert.doesNotMatch(output, /FAULT/);
    assert.equal(code, 0);
    for (const n of numbers.slice(BLOCKS, BLOCKS + SIGN_INS)) {
      const signedIn = await server.post('/api/admin/sessions', { userId: id(n) }, key);
      assert.equal(signedIn.status, 200, id(n));
      const { token } = signedIn.body.data;
      const items = (await server.get('/api/conversations', token)).body.data;
      const seen = new Map(
        items.map((item: { peer: string; unread: number; last: { body: string } }) => [
          item.peer,
          [item.unread, item.last.body],
        ]),
      );
      assert.deepEqual(seen.get(id(n + 1)), [0, `message 4 of ${n}`], id(n));
      assert.deepEqual(seen.get(id(n - 1)), [unreadOf(n - 1), `message 4 of ${n - 1}`], id(n));
      const friends = (await server.get('/api/friends', token)).body.data;
      assert.deepEqual(
        friends.map((friend: { id: string }) => friend.id),
        [id(n + 1), id(n - 1)],
      );
    }
  });
});
