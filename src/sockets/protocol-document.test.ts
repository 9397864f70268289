import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import Value from 'typebox/value';
import { onSqlite } from '../../test/databases.ts';
import { startSockets, type TestSocket } from '../../test/sockets.ts';
import { closeCodes } from './close-codes.ts';
import { FRAMES_IN, type FrameName } from './frames-in.ts';
import { FRAMES_OUT } from './frames-out.ts';

const document = await readFile(new URL('../../docs/protocol.md', import.meta.url), 'utf8');

interface Example {
  /** What precedes the example: nothing for `first`, for others `hello`; `stop` also stops the service, `requests` has Alice take messages as requests. */
  readonly kind: string;
  readonly lines: readonly string[];
}

const examples: Example[] = [...document.matchAll(/^```frames ?(\w*)\n(.*?)^```$/gms)].map(
  ([, kind = '', lines = '']) => ({ kind, lines: lines.trimEnd().split('\n') }),
);

/** `<words>` of an example match any text; everything else has to be equal, with the same fields. */
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

/** The connections of an example, and the values of its `<words>`. */
interface Scene {
  readonly socket: TestSocket;
  /** Bob's connection, which sends `hello` unless the example does. */
  readonly bob: (saysHello: boolean) => Promise<TestSocket>;
  readonly words: Record<string, string>;
  /** The types of the requests that were sent, by their `id`. */
  readonly requests: Map<string, FrameName>;
}

/** The reply has the data that the table of frames names for the request. */
function assertReply(request: FrameName | undefined, data: unknown, line: string): void {
  const { reply } = FRAMES_IN[request ?? assert.fail(line)];
  assert.ok(reply ? Value.Check(reply, data) : data === undefined, line);
}

async function act({ socket, bob, words, requests }: Scene, line: string): Promise<void> {
  const [, direction, shown = ''] = /^(->|<-|bob ->) (.*)$/.exec(line) ?? [];
  const text = shown.replace(/<[^>]+>/g, (word) => words[word] ?? word).replace(/:(<[^>]+>)/g, ':"$1"');
  if (direction === '->') {
    assert.ok(!/<.*>/.test(text), `no value for ${text}`);
    socket.send(text);
    const { id, type } = JSON.parse(text);
    if (id !== undefined) requests.set(id, type);
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
    const frame = await socket.next();
    assertAsShown(frame, JSON.parse(text), line);
    const { id, code, data } = frame;
    if (code === 200) assertReply(requests.get(id), data, line);
    assert.ok(Value.Check(FRAMES_OUT[frame.type as keyof typeof FRAMES_OUT], frame), line);
  }
}

onSqlite('docs/protocol.md', (database) => {
  test('has an example of every frame', () => {
    const shown = new Set(
      examples.flatMap(({ lines }) => lines).map((line) => /"type":"(\w+)"/.exec(line)?.[1]),
    );
    for (const type of Object.keys({ ...FRAMES_IN, ...FRAMES_OUT })) assert.ok(shown.has(type), type);
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
      if (kind === 'requests')
        await service.services.db.run`update users set who_messages = 'requests' where id = ${alice.id}`;
      const socket = kind === 'first' ? await service.connect() : await service.enter(alice);
      let bobs: TestSocket | undefined;
      const scene = {
        socket,
        words,
        requests: new Map<string, FrameName>(),
        bob: async (saysHello: boolean) =>
          (bobs ??= await (saysHello ? service.connect() : service.enter(bob))),
      };
      const stopped = kind === 'stop' ? service.app.close() : undefined;
      for (const line of lines) await act(scene, line);
      await stopped;
    });
  }
});
