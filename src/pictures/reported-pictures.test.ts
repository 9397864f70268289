import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand } from '../../test/commands.ts';
import { onEachDeployment } from '../../test/databases.ts';
import { startPicturing } from '../../test/picturing.ts';
import { deleteUser } from '../leaving/remove-user.ts';

onEachDeployment('Pictures of reported messages', (database) => {
  test('they are kept for the operator until the report is decided, also after an unsend, for no one else', async (t) => {
    const { alice, bob, upload, send, unsend, get, post, runJob, stored, settings } = await startPicturing(
      t,
      database,
    );
    const folder = mkdtempSync(join(tmpdir(), 'doorman-reported-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const [first, second] = [await upload(bob, 300), await upload(bob)];
    await send(bob, alice, 'c1', { picture: first.id, body: 'look' });
    await send(bob, alice, 'c2', { picture: second.id });
    await send(alice, bob, 'c3', { body: 'no' });
    const file = async (messages: number[]) =>
      String((await post(alice, '/api/report', { userId: bob.id, reason: 'abuse', messages })).body.data.id);
    const reports = [await file([1, 3]), await file([1])];
    for (const n of [1, 2]) await unsend(bob, alice, n);
    await runJob();
    assert.deepEqual(await stored(), [2, 2], 'the two pieces of the first');
    for (const person of [alice, bob]) assert.equal((await get(person, first.id)).status, 404);

    const run = (...words: string[]) => runCommand(settings(), ['report', ...words]);
    const [report = '', other = ''] = reports;
    const { messages } = JSON.parse((await run(report)).output);
    const { bytes, ...picture } = first;
    assert.deepEqual([messages[0].picture, messages[1].picture], [picture, undefined]);
    const target = join(folder, 'new');
    const written = join(target, '1.png');
    assert.equal((await run(report, '--pictures', target)).output, `${written}\n`);
    assert.deepEqual(await readdir(target), ['1.png']);
    assert.ok(readFileSync(written).equals(bytes));
    assert.equal((await run(report, '--pictures', target, '--act', 'dismiss', '--note', 'x')).code, 2);

    await run(report, '--act', 'dismiss', '--note', 'x');
    await runJob();
    assert.deepEqual(await stored(), [2, 2], 'the other report is open');
    await run(other, '--act', 'dismiss', '--note', 'x');
    await runJob();
    assert.deepEqual(await stored(), [2, 0]);
    assert.equal((await run(report, '--pictures', target)).output, 'the picture of message 1 was removed\n');
  });

  test('a report that ends with the reported account keeps nothing; one whose reporter left keeps what the reported user sent', async (t) => {
    const { db, alice, bob, carol, upload, send, unsend, post, runJob, stored } = await startPicturing(
      t,
      database,
    );
    const [hers, his] = [await upload(alice), await upload(bob)];
    await send(alice, bob, 'c1', { picture: hers.id });
    await send(bob, alice, 'c2', { picture: his.id });
    await post(alice, '/api/report', { userId: bob.id, reason: 'abuse', messages: [1, 2] });
    await post(carol, '/api/report', { userId: bob.id, reason: 'spam' });
    await unsend(alice, bob, 1);
    await unsend(bob, alice, 2);
    await db.transaction((tx) => deleteUser(tx, alice.id));
    await runJob();
    assert.deepEqual(await stored(), [2, 1], 'his alone');
    await db.transaction((tx) => deleteUser(tx, bob.id));
    await runJob();
    assert.deepEqual(await stored(), [2, 0]);
  });
});
