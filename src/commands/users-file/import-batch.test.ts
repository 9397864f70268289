import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand } from '../../../test/commands.ts';
import { onEachDatabase } from '../../../test/databases.ts';
import { OWN_IDS } from '../../../test/ids.ts';
import { addUser } from '../../../test/people.ts';
import { settingsOf, startServer } from '../../../test/processes.ts';
import { openPasswords } from '../../accounts/passwords.ts';
import type { SchemaDb } from '../../db/db.ts';
import { importBatch } from './import-batch.ts';
import { readUserLine, type UserToImport } from './user-line.ts';

const password_hash = '!';
const jsonl = (lines: readonly object[]) =>
  lines.map((line) => `${JSON.stringify({ password_hash, ...line })}\n`).join('');
const toUser = (line: object) => readUserLine({ password_hash, ...line }) as UserToImport; // valid lines

onEachDatabase('the users of an import', (database) => {
  test('keep their ids, and are there already if id and name belong to one user', async (t) => {
    const settings = settingsOf(await database.create(t));
    const own = OWN_IDS.map((id, at) => ({ id, username: `own ${at}` }));
    const all = [
      ...own,
      { username: 'carol' },
      { id: 'dave', username: 'Dave' },
      { id: '43', username: 'dave 43' },
    ];
    assert.equal(
      (await runCommand(settings, ['import', '-'], jsonl(all))).output,
      `imported ${all.length}, already there 0, refused 0\n`,
    );
    const exported = (await runCommand(settings, ['export'])).output;
    const stored = exported
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const { id, username } of own)
      assert.equal(stored.find((user) => user.id === id)?.username, username);
    const carol = stored.find((user) => user.username === 'carol').id;

    const lines: [line: object, reason?: string][] = [
      ...all.map((line): [object] => [line]),
      [{ username: 'dave 43' }],
      [{ id: carol, username: 'carol' }],
      [{ id: 'dave', username: 'dave' }, 'username is taken: there is "Dave"'],
      [{ username: 'DAVE' }, 'username is taken: there is "Dave"'],
      [{ id: 'dave', username: 'new' }, 'id is taken by "Dave"'],
      [{ id: '43', username: 'Dave' }, 'id is taken by "dave 43"'],
      [{ id: 'Dave', username: 'Dave' }, 'username is taken: there is "Dave" with the id "dave"'],
      [{ id: '1', username: 'carol' }, `username is taken: there is "carol" with the id "${carol}"`],
    ];
    // Of the file itself, in a batch and later.
    const added: typeof lines = [
      [{ id: '50', username: 'first' }],
      [{ username: 'second' }],
      [{ id: '50', username: 'third' }, 'id is taken by "first"'],
      [{ username: 'SECOND' }, 'username is taken: there is "second"'],
      [{ id: '51', username: 'first' }, 'username is taken: there is "first" with the id "50"'],
    ];
    const many = Array.from({ length: 2_100 }, (_, at): [object] => [{ username: `many ${at}` }]);
    const file = [
      ...lines,
      ...added,
      ...many,
      ...added,
      [{ id: '52', username: 'second' }, 'username is taken: there is "second"'],
    ] as typeof lines;
    const expected = file.flatMap(([, reason], at) => (reason ? [`line ${at + 1}: ${reason}`] : []));
    for (const options of [['--dry-run'], []]) {
      const { code, output, errors } = await runCommand(
        settings,
        ['import', ...options, '-'],
        jsonl(file.map(([line]) => line)),
      );
      assert.equal(code, 1);
      assert.match(
        output,
        new RegExp(`imported 2102, already there ${all.length + 4}, refused ${expected.length}\n$`),
      );
      const refused = errors.split('\n').filter((line) => line.startsWith('line '));
      assert.deepEqual(
        refused.map((line) =>
          line.replace(/ (?:with the id "[^"]+"|without an id)$/, (said) =>
            said.includes('"50"') || said.includes(carol) || said.includes('"dave"') ? said : '',
          ),
        ),
        expected,
        options.join(),
      );
    }
    assert.deepEqual(
      await runCommand(settings, ['export']).then(({ output }) => output.split('\n').length),
      all.length + 2102 + 1,
    );
  });

  test('have a verified address, by which they sign in, and which no other user has', async (t) => {
    const [first, second] = [settingsOf(await database.create(t)), settingsOf(await database.create(t))];
    const file = jsonl([
      {
        id: '1',
        username: 'alice',
        password: 'password of alice',
        password_hash: undefined,
        verified_email: 'Alice@EXAMPLE.org',
      },
      { id: '2', username: 'bob', verified_email: 'alice@example.org' },
      { id: '3', username: 'carol', verified_email: 'carol@example.org', status: 'suspended' },
      { id: '4', username: 'dave', verified_email: 'no address' },
      { id: '5', username: 'erin', verified_email: 'a@example.org, b@example.org' },
      { id: '6', username: 'frank', verified_email: '' },
      { id: '7', username: 'gina', verified_email: 'gina@example.org', status: 'deleted' },
      { id: '8', username: 'hana', verified_email: 7 },
      { id: '1', username: 'alice', verified_email: 'alice@example.org' },
    ]);
    const reasons = [
      'line 2: verified_email is taken by another user',
      'line 4: verified_email is not valid',
      'line 5: verified_email is not valid',
      'line 6: verified_email is not valid',
      'line 7: verified_email is that of a deleted user',
      'line 8: verified_email must be a string',
    ];
    for (const options of [['--dry-run'], []]) {
      const { output, errors } = await runCommand(first, ['import', ...options, '-'], file);
      assert.match(output, /imported 2, already there 1, refused 6\n$/);
      assert.deepEqual(errors.trimEnd().split('\n'), reasons);
    }
    // In another run, it is that of a stored user.
    const late = jsonl([{ username: 'ivan', verified_email: 'CAROL@example.org' }]);
    for (const options of [['--dry-run'], []]) {
      const { errors } = await runCommand(first, ['import', ...options, '-'], late);
      assert.equal(errors, 'line 1: verified_email is taken by another user\n');
    }
    const exported = await runCommand(first, ['export']);
    assert.deepEqual(
      exported.output
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).verified_email),
      ['Alice@example.org', 'carol@example.org'],
    );
    assert.equal((await runCommand(second, ['import', '-'], exported.output)).code, 0);
    assert.equal((await runCommand(second, ['export'])).output, exported.output);
    await using server = await startServer(second);
    const login = { username: 'alice@example.org', password: 'password of alice' };
    const { status, body } = await server.post('/api/login', login);
    assert.deepEqual([status, body.data?.id], [200, '1']);
    const checked = await runCommand(second, ['check']);
    assert.equal(checked.code, 0, checked.output);
  });

  test('are decided on again when another process takes an id, a name or an address meanwhile', async (t) => {
    const db = await database.open(t);
    const lines = [
      { id: 'a', username: 'alice' },
      { id: 'b', username: 'bob' },
      { id: 'c', username: 'carol', verified_email: 'carol@example.org' },
      { id: 'd', username: 'dave', verified_email: 'dave@example.org' },
    ];
    for (const [meanwhile, at, reason] of [
      [{ id: 'a', username: 'other' }, 0, 'id is taken by "other"'],
      [{ id: 'other', username: 'BOB' }, 1, 'username is taken: there is "BOB" with the id "other"'],
      [
        { id: 'own', username: 'own', verified_email: 'Carol@example.org' },
        2,
        'verified_email is taken by another user',
      ],
    ] as const) {
      let isTaken = false;
      const racing: SchemaDb = Object.create(db, {
        get: { value: db.get.bind(db) },
        run: { value: db.run.bind(db) },
        all: { value: db.all.bind(db) },
        transaction: {
          async value(...parts: Parameters<SchemaDb['transaction']>) {
            if (!isTaken) {
              isTaken = true;
              await importBatch({ db, passwords, seen: null }, [toUser(meanwhile)]);
            }
            return db.transaction(...parts);
          },
        },
      });
      const passwords = openPasswords({ cost: 4 });
      const verdicts = await importBatch({ db: racing, passwords, seen: null }, lines.map(toUser));
      const kept = lines.map((_, place) =>
        place === at ? { kind: 'refused', reason } : { kind: 'imported' },
      );
      assert.deepEqual(verdicts, kept);
      const names = await db.all<{ username: string }>`select username from users order by username_key`;
      const expected = [...lines.filter((_, place) => place !== at), meanwhile].map(
        ({ username }) => username,
      );
      assert.deepEqual(names.map(({ username }) => username).sort(), expected.sort());
      await db.transaction(async (tx) => {
        await tx.run`delete from emails`;
        await tx.run`delete from inbox_heads`;
        await tx.run`delete from users`;
      });
    }
    assert.ok(await addUser(db, 'alice', { id: 'a' }));
  });

  test('are not tried for ever when the database leaves one out whom nobody took', async (t) => {
    const db = await database.open(t);
    await db.changeSchema((tx) =>
      tx.script(
        database.kind === 'postgres'
          ? `create function leave_out() returns trigger language plpgsql as 'begin return null; end';
             create trigger leave_out before insert on users for each row execute function leave_out()`
          : 'create trigger leave_out before insert on users begin select raise(ignore); end',
      ),
    );
    let attempts = 0;
    const counting: SchemaDb = Object.create(db, {
      get: { value: db.get.bind(db) },
      run: { value: db.run.bind(db) },
      all: { value: db.all.bind(db) },
      transaction: {
        value(...parts: Parameters<SchemaDb['transaction']>) {
          if (++attempts > 9) throw new Error('it is tried again and again');
          return db.transaction(...parts);
        },
      },
    });
    const users = [{ username: 'alice' }, { username: 'bob' }].map(toUser);
    await assert.rejects(
      importBatch({ db: counting, passwords: openPasswords({ cost: 4 }), seen: null }, users),
      { message: 'an id, a name or an address was taken meanwhile' },
    );
  });
});
