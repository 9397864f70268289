import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onNodes } from '../databases.ts';
import { startService } from '../harness.ts';

const MINUTE_MS = 60_000;

onNodes('nodes on machines whose clocks are ten minutes wrong', (database) => {
  test('take each other’s tokens, and give messages their times in order', async (t) => {
    const addedMs = [10 * MINUTE_MS, 0, -10 * MINUTE_MS];
    const service = await startService(t, database, {
      env: { TOKEN_TTL: '60s' },
      world: (node) => ({ machineNow: () => Date.now() + (addedMs[node] ?? 0) }),
    });
    const { nodes } = service;
    const startedAt = Date.now();
    const tokens: string[] = [];
    const bob = await service.join('bob');
    for (const [i, node] of nodes.entries()) {
      const body = { username: `alice${i}`, password: 'a password' };
      tokens.push((await node.post('/api/register', body)).body.data.token);
    }
    const times: number[] = [];
    for (const token of tokens)
      for (const node of nodes) {
        const body = { to: bob.id, cid: `c${times.length}`, body: 'hi' };
        const { status, body: answer } = await node.post('/api/messages', body, { token });
        assert.equal(status, 200, JSON.stringify(answer));
        times.push(answer.data.at);
      }
    // Each follows the answer of the one before; clocks are measured to the duration of a query.
    for (const [i, at] of times.entries()) assert.ok(at > (times[i - 1] ?? startedAt) - 1_000, String(times));
    assert.ok((times.at(-1) ?? 0) < Date.now() + 1_000, String(times));
  });
});
