import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { onSqlite } from '../databases.ts';
import { join, until } from './device.ts';
import { type Line, startLine } from './line.ts';
import { serve } from './serving.ts';

const REJECTED = { name: 'DoormanError', code: 400, error: 'frame_rejected' };
/** Long enough that no connection of these tests counts as steady. */
const times = { steadyMs: 600_000 };

/** How often a frame with this body came. */
function tries(line: Line, body: string): number {
  return line.frames.filter((frame) => frame.body === body).length;
}

onSqlite('A connection that the service ends over a frame', (database) => {
  describe('all at once', { concurrency: true }, () => {
    for (const code of [1002, 1007])
      test(`${code}: a message that ends it three times alone is refused, and the others go out`, async (t) => {
        const service = await serve(t, database);
        const line = await startLine(t, service.url);
        const alice = await join(t, line.url, 'alice', { times });
        const bob = await join(t, service.url, 'bob');
        line.rejects = ({ body }) => (body === 'poison' ? code : undefined);
        const poison = alice.doorman.send(bob.id, 'poison', 'c1');
        const good = alice.doorman.send(bob.id, 'good', 'c2');
        await assert.rejects(poison, REJECTED);
        await good;
        await bob.hears('good');
        assert.equal(tries(line, 'poison'), 3);
        assert.deepEqual(
          alice.doorman.outgoing().map(({ cid, state, error }) => [cid, state, error]),
          [['c1', 'refused', 'frame_rejected']],
        );
        assert.ok(!alice.all('connection').some(({ state }) => state === 'stopped'));
        // A retry starts counting from zero; the service stores what it then reads.
        let rejected = 0;
        line.rejects = ({ body }) => (body === 'poison' && ++rejected <= 2 ? code : undefined);
        alice.doorman.retry('c1');
        assert.equal((await alice.doorman.send(bob.id, 'poison', 'c1')).state, 'stored');
        assert.equal(tries(line, 'poison'), 6);
        await bob.hears('good', 'poison');
      });

    test('counts against a message only if it was alone in flight', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, line.url, 'alice', { times });
      const [bob, carol] = [await join(t, service.url, 'bob'), await join(t, service.url, 'carol')];
      // The first time both are in flight; then one after the other.
      line.passes = (frame) => frame.data?.n === undefined;
      line.rejects = ({ body }) => (body === 'poison' ? 1007 : undefined);
      const good = alice.doorman.send(bob.id, 'good');
      const poison = alice.doorman.send(carol.id, 'poison');
      await until(() => line.arrivals.length === 2);
      line.passes = () => true;
      await assert.rejects(poison, REJECTED);
      await good;
      assert.equal(tries(line, 'poison'), 4);
      await bob.hears('good');
    });

    test('is followed by a connection on which each request waits for the previous reply', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, line.url, 'alice', { times });
      const others = [await join(t, service.url, 'bob'), await join(t, service.url, 'carol')];
      line.close(1007, 'unknown_frame');
      await alice.is('waiting');
      const requests: string[] = [];
      line.rejects = ({ id }) => void (id !== undefined && requests.push(`asked ${id}`));
      line.passes = ({ type, id }) => {
        if (type === 'reply') requests.push(`answered ${id}`);
        return true;
      };
      alice.doorman.watch(others.map(({ id }) => id));
      const sent = others.flatMap(({ id }) => [alice.doorman.send(id, 'one'), alice.doorman.send(id, 'two')]);
      await Promise.all(sent);
      await alice.first('presence');
      const ids = requests.flatMap((request) => request.match(/asked (.*)/)?.[1] ?? []);
      assert.ok(ids.length >= 6, `${requests}`);
      assert.deepEqual(
        requests,
        ids.flatMap((id) => [`asked ${id}`, `answered ${id}`]),
      );
    });

    test('stops the client only after three times in a row without any reply', async (t) => {
      const service = await serve(t, database);
      const line = await startLine(t, service.url);
      const alice = await join(t, line.url, 'alice', { times });
      let rejections = 1;
      line.rejects = ({ type }) => (type === 'hello' && rejections-- > 0 ? 1007 : undefined);
      line.close(1007);
      await until(() => line.arrivals.length === 3);
      await alice.is('live');
      rejections = 1;
      line.close(1007);
      await until(() => line.arrivals.length === 5);
      await alice.is('live');
      assert.ok(!alice.all('connection').some(({ state }) => state === 'stopped'));
      rejections = 3;
      line.cut();
      assert.deepEqual(await alice.is('stopped'), { state: 'stopped', why: 'broken' });
      assert.equal(line.arrivals.length, 8);
      await alice.connect();
    });
  });
});
