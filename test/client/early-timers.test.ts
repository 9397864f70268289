import { test } from 'node:test';
import { onSqlite } from '../databases.ts';
import { pngOf } from '../pictures-of-noise.ts';
import { Device, join } from './device.ts';
import { startLine } from './line.ts';
import { serve } from './serving.ts';

const EARLY_MS = 5;

onSqlite('With timers that end a little early', (database) => {
  test('a message whose upload failed is sent all the same', async (t) => {
    const service = await serve(t, database);
    const line = await startLine(t, service.url);
    const alice = await new Device(t, line.url, { times: { pauseMs: 20 } }).signUp('alice');
    const bob = await join(t, service.url, 'bob');
    await alice.connect();
    let failures = 0;
    line.answers = ({ url }) =>
      url === '/api/pictures' && failures++ < 3 ? { status: 502, text: 'Bad gateway' } : undefined;
    const later = globalThis.setTimeout;
    const early = (run: (...all: unknown[]) => void, ms = 0, ...all: unknown[]) =>
      later(run, Math.max(0, ms - EARLY_MS), ...all);
    t.mock.method(globalThis, 'setTimeout', Object.assign(early, later));
    const blob = new Blob([new Uint8Array(pngOf(20))], { type: 'image/png' });
    void alice.doorman.send(bob.id, 'Tea', { picture: { blob, width: 20, height: 20 } });
    await bob.hears('Tea');
  });
});
