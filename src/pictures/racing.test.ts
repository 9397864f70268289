import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachDeployment } from '../../test/databases.ts';
import { startPicturing } from '../../test/picturing.ts';
import type { Db } from '../db/db.ts';
import { deleteUser } from '../leaving/remove-user.ts';
import { storePicture } from './store-picture.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

onEachDeployment('Pictures and what happens at the same moment', (database) => {
  test('a send that races the removal of old uploads gets a whole picture, or is refused', async (t) => {
    const { alice, bob, clock, upload, send, get, runJob, stored, history } = await startPicturing(
      t,
      database,
    );
    let sent = 0;
    for (let round = 0; round < 3; round++) {
      const ids: string[] = [];
      for (let i = 0; i < 8; i++) ids.push((await upload(alice)).id);
      clock.add(DAY_MS);
      const [answers] = await Promise.all([
        Promise.all(ids.map((picture, i) => send(alice, bob, `${round} ${i}`, { picture }))),
        runJob(),
        runJob(),
      ]);
      for (const [i, { status, body }] of answers.entries()) {
        const found = (await get(bob, ids[i] ?? '')).status;
        if (status === 200) sent++;
        else assert.equal(body.error, 'picture_unknown');
        assert.equal(found, status === 200 ? 200 : 404);
      }
    }
    await runJob();
    assert.deepEqual(await stored(), [sent, sent]);
    assert.equal((await history(bob, alice)).length, sent);
  });

  test('a get that races an unsend gets the whole picture, or 404', async (t) => {
    const { alice, bob, upload, send, unsend, get, runJob } = await startPicturing(t, database);
    for (let n = 1; n <= 3; n++) {
      const { id, bytes } = await upload(alice, 500);
      await send(alice, bob, `c${n}`, { picture: id });
      const reads = Promise.all(Array.from({ length: 8 }, () => get(bob, id)));
      const [answers] = await Promise.all([reads, unsend(alice, bob, n).then(runJob)]);
      for (const answer of answers) assert.ok(answer.status === 404 || answer.bytes?.equals(bytes));
      assert.equal((await get(bob, id)).status, 404);
    }
  });

  test('an upload that races the deletion of its account leaves nothing that stays', async (t) => {
    const { db, service, clock, upload, runJob, stored } = await startPicturing(t, database);
    for (let round = 0; round < 4; round++) {
      const person = await service.join(`dora${round}`);
      await Promise.allSettled([
        upload(person, 400),
        upload(person, 400),
        db.transaction((tx) => deleteUser(tx, person.id)),
      ]);
    }
    clock.add(DAY_MS / 2); // the deletion has the time of the machine
    await runJob();
    const [, pieces] = await stored();
    assert.equal(pieces, 0, 'all were marked, or never stored');
    clock.add(DAY_MS);
    await runJob();
    assert.deepEqual(await stored(), [0, 0]);
  });

  test('an upload whose account is deleted between two pieces does not become whole, also after the job', async (t) => {
    const { db, alice, clock, runJob, stored } = await startPicturing(t, database);
    const now = Number(clock.world.now?.());
    let pieces = 0;
    const deleting = {
      transaction: db.transaction.bind(db),
      async run(strings: TemplateStringsArray, ...parts: Parameters<Db['run']>[1][]) {
        if (++pieces === 2) {
          await db.transaction((tx) => deleteUser(tx, alice.id));
          clock.add(DAY_MS / 2); // the deletion has the time of the machine
          await runJob();
        }
        return db.run(strings, ...parts);
      },
    };
    const picture = { bytes: Buffer.alloc(100_000), width: 1, height: 1 };
    const session = await db.get<{ id: string }>`select id from sessions where user_id = ${alice.id}`;
    const uploader = { userId: alice.id, sessionId: session?.id ?? '' };
    const upload = storePicture(deleting as unknown as Db, uploader, 'image/png', picture, now);
    await assert.rejects(upload, { kind: 'unauthenticated' });
    assert.deepEqual(await db.all`select is_whole from pictures`, [{ is_whole: 0 }]);
    clock.add(DAY_MS);
    await runJob();
    assert.deepEqual(await stored(), [0, 0]);
  });
});
