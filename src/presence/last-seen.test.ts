import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { onEachDatabase } from '../../test/databases.ts';
import { startService } from '../../test/harness.ts';
import { LastSeen } from './last-seen.ts';

onEachDatabase('when users were last online', (database) => {
  const NOW = 1_790_000_000_000;

  /** Two nodes on one database, at the same time. */
  async function openTwo(t: TestContext) {
    const service = await startService(t, database);
    const { id } = await service.join('alice');
    const clock = { now: NOW };
    const open = () => new LastSeen(service.services.db, () => clock.now);
    const [one, other] = [open(), open()];
    const readBy = async (node: LastSeen) => (await node.read([id])).get(id);
    return { id, clock, one, other, readBy };
  }

  test('the latest time counts, whichever node writes last', async (t) => {
    const { id, one, other, readBy } = await openTwo(t);
    one.note(id, NOW - 2_000);
    other.note(id, NOW - 1_000);
    await other.write();
    assert.equal(await readBy(one), NOW - 1_000, 'its own time is earlier and not written yet');
    await one.write();
    assert.deepEqual([await readBy(one), await readBy(other)], [NOW - 1_000, NOW - 1_000]);
  });

  test('a time that another node reported is read before that node has written it, and never written here', async (t) => {
    const { id, clock, one, other, readBy } = await openTwo(t);
    one.note(id, NOW - 5_000);
    await one.write();
    other.hear(id, NOW - 1_000);
    other.hear(id, NOW - 3_000);
    assert.equal(await readBy(other), NOW - 1_000);
    await other.write();
    assert.equal(await readBy(one), NOW - 5_000);
    clock.now += 60_000;
    await other.write();
    assert.equal(await readBy(other), NOW - 5_000, 'forgotten after a minute');
  });

  test('a time that was written before the clock was set back is replaced', async (t) => {
    const { id, one, readBy } = await openTwo(t);
    one.note(id, NOW + 3_600_000);
    await one.write();
    one.note(id, NOW);
    assert.equal(await readBy(one), NOW);
    await one.write();
    assert.equal(await readBy(one), NOW);
  });
});
