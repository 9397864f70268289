import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../databases.ts';
import { join, until } from './device.ts';
import { startLine } from './line.ts';
import { serve } from './serving.ts';

onSqlite('A browser that reports network changes', (database) => {
  test('makes the kit act at once: online reconnects, offline checks the connection', async (t) => {
    const browser = new EventTarget();
    Object.assign(globalThis, { addEventListener: browser.addEventListener.bind(browser) });
    t.after(() => Reflect.deleteProperty(globalThis, 'addEventListener'));
    const service = await serve(t, database);
    const line = await startLine(t, service.url);
    const never = 1_000_000_000;
    const times = { backoffMs: never, maxBackoffMs: never, silenceMs: never, pongMs: 300 };
    const alice = await join(t, line.url, 'alice', { times });

    line.freeze();
    browser.dispatchEvent(new Event('offline'));
    await alice.is('waiting');
    // It is offline, so it does not try.
    browser.dispatchEvent(new Event('offline'));
    assert.equal(alice.doorman.connection.state, 'waiting');
    browser.dispatchEvent(new Event('online'));
    await alice.is('live');
    assert.equal(line.arrivals.length, 2);
  });

  test('a user who leaves the page is offline at once, and online when it is shown again', async (t) => {
    const browser = new EventTarget();
    Object.assign(globalThis, { addEventListener: browser.addEventListener.bind(browser) });
    t.after(() => Reflect.deleteProperty(globalThis, 'addEventListener'));
    const service = await serve(t, database);
    const never = 1_000_000_000;
    const times = { backoffMs: never, maxBackoffMs: never };
    const alice = await join(t, service.url, 'alice', { times });
    const isOnline = async () => (await alice.doorman.api.profileOf(alice.id)).isOnline;
    assert.equal(await isOnline(), 1);

    browser.dispatchEvent(new Event('pagehide'));
    await until(async () => (await isOnline()) === 0);
    browser.dispatchEvent(new Event('pageshow'));
    await alice.is('live');
    assert.equal(await isOnline(), 1);
    // At its first showing a page is not connected yet, and need not be.
    alice.doorman.disconnect();
    browser.dispatchEvent(new Event('pagehide'));
    browser.dispatchEvent(new Event('pageshow'));
    assert.equal(alice.doorman.connection.state, 'off');
  });
});
