import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { onSqlite } from '../../test/databases.ts';
import { closeCodes } from './close-codes.ts';
import { startSockets, type TestSocket } from './test-client.ts';

const document = await readFile(new URL('../../docs/protocol.md', import.meta.url), 'utf8');

interface Example {
  /** What has to be done before: `first` sends no `hello`, `stop` stops the service. */
  readonly kind: string;
  readonly lines: readonly string[];
}

const examples: Example[] = [...document.matchAll(/^```frames ?(\w*)\n(.*?)^```$/gms)].map(
  ([, kind = '', lines = '']) => ({ kind, lines: lines.trimEnd().split('\n') }),
);

/** Where the example has `<words>`, what they stand for will do; all else has to be as it stands, no field more or less. */
function assertAsShown(actual: unknown, shown: unknown, line: string): void {
  if (shown === '<epoch milliseconds>') {
    assert.ok(typeof actual === 'number' && actual > 1_700_000_000_000, line);
  } else if (typeof shown === 'string' && /^<.*>$/.test(shown)) {
    assert.equal(typeof actual, 'string', line);
  } else if (typeof shown === 'object' && shown !== null) {
    assert.ok(typeof actual === 'object' && actual !== null, line);
    assert.deepEqual(Object.keys(actual).sort(), Object.keys(shown).sort(), line);
    for (const [key, value] of Object.entries(shown)) assertAsShown(Reflect.get(actual, key), value, line);
  } else {
    assert.equal(actual, shown, line);
  }
}

/** The connections of an example, and what its words stand for. */
interface Scene {
  readonly socket: TestSocket;
  /** Bob's connection, who says `hello` by himself unless the example does. */
  readonly bob: (saysHello: boolean) => Promise<TestSocket>;
  readonly words: Record<string, string>;
}

async function act({ socket, bob, words }: Scene, line: string): Promise<void> {
  const [, direction, shown = ''] = /^(->|<-|bob ->) (.*)$/.exec(line) ?? [];
  const text = shown.replace(/<[^>]+>/g, (word) => words[word] ?? word).replace(/:(<[^>]+>)/g, ':"$1"');
  if (direction === '->') {
    assert.ok(!/<.*>/.test(text), `what is that? ${text}`);
    socket.send(text);
  } else if (direction === 'bob ->') {
    const frame = JSON.parse(text);
    const client = await bob(frame.type === 'hello');
    const reply = await client.ask(frame);
    assert.equal(reply.code, 200, line);
  } else if (text.startsWith('close ')) {
    const { code, reason } = await socket.ended;
    assert.equal(`close ${code} ${reason}`, text);
    assert.deepEqual(socket.unread, []);
  } else {
    assertAsShown(await socket.next(), JSON.parse(text), line);
  }
}

onSqlite('docs/protocol.md', (database) => {
  test('has an example of every frame', () => {
    const shown = new Set(
      examples.flatMap(({ lines }) => lines).map((line) => /"type":"(\w+)"/.exec(line)?.[1]),
    );
    const own = ['hello', 'token', 'ping', 'bye', 'ack', 'view', 'watch', 'typing', 'sync'];
    const rooms = ['send', 'mark', 'history', 'friend'];
    const service = ['reply', 'pong', 'drain', 'event', 'live', 'presence'];
    for (const type of [...own, ...rooms, ...service]) assert.ok(shown.has(type), type);
  });

  test('explains every close code of ours', () => {
    const explained = [...document.matchAll(/^\| ([\d, ]+) \| /gm)].flatMap(([, codes = '']) =>
      codes.split(', '),
    );
    for (const code of Object.values(closeCodes)) assert.ok(explained.includes(String(code)), String(code));
  });

  for (const [i, { kind, lines }] of examples.entries()) {
    test(`example ${i + 1} is true: ${lines[0]}`, async (t) => {
      const service = await startSockets(t, database);
      const [alice, bob] = [await service.join('alice'), await service.join('bob')];
      const fresh = await service.post('/api/token', {}, { token: alice.token });
      const words = {
        '<jwt>': alice.token,
        '<newer jwt>': fresh.body.data.token,
        '<jwt of another session>': (await service.logIn(alice)).token,
        "<bob's jwt>": bob.token,
        '<alice>': alice.id,
        '<bob>': bob.id,
        '<carol>': (await service.join('carol')).id,
        '<epoch>': service.services.inbox.epoch,
      };
      const socket = kind === 'first' ? await service.connect() : await service.enter(alice);
      let his: TestSocket | undefined;
      const scene = {
        socket,
        words,
        bob: async (saysHello: boolean) =>
          (his ??= await (saysHello ? service.connect() : service.enter(bob))),
      };
      const stopped = kind === 'stop' ? service.app.close() : undefined;
      for (const line of lines) await act(scene, line);
      await stopped;
    });
  }
});
