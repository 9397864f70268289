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

/** Where the example has `<words>` any string will do; all else has to be as it stands, no field more or less. */
function assertAsShown(actual: unknown, shown: unknown, line: string): void {
  if (typeof shown === 'string' && /^<.*>$/.test(shown)) {
    assert.equal(typeof actual, 'string', line);
  } else if (typeof shown === 'object' && shown !== null) {
    assert.ok(typeof actual === 'object' && actual !== null, line);
    assert.deepEqual(Object.keys(actual).sort(), Object.keys(shown).sort(), line);
    for (const [key, value] of Object.entries(shown)) assertAsShown(Reflect.get(actual, key), value, line);
  } else {
    assert.equal(actual, shown, line);
  }
}

async function act(socket: TestSocket, line: string, tokens: Record<string, string>): Promise<void> {
  const [, direction, rest = ''] = /^(->|<-) (.*)$/.exec(line) ?? [];
  if (direction === '->') {
    socket.send(rest.replace(/<[^>]+>/g, (words) => tokens[words] ?? assert.fail(`what is ${words}?`)));
  } else if (rest.startsWith('close ')) {
    const { code, reason } = await socket.ended;
    assert.equal(`close ${code} ${reason}`, rest);
    assert.deepEqual(socket.unread, []);
  } else {
    assertAsShown(await socket.next(), JSON.parse(rest), line);
  }
}

onSqlite('docs/protocol.md', (database) => {
  test('has an example of every frame', () => {
    const shown = new Set(
      examples.flatMap(({ lines }) => lines).map((line) => /"type":"(\w+)"/.exec(line)?.[1]),
    );
    for (const type of ['hello', 'token', 'ping', 'bye', 'reply', 'pong', 'drain'])
      assert.ok(shown.has(type), type);
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
      const alice = await service.join('alice');
      const fresh = await service.post('/api/token', {}, { token: alice.token });
      const tokens = {
        '<jwt>': alice.token,
        '<newer jwt>': fresh.body.data.token,
        '<jwt of another session>': (await service.logIn(alice)).token,
      };
      const socket = kind === 'first' ? await service.connect() : await service.enter(alice);
      const stopped = kind === 'stop' ? service.app.close() : undefined;
      for (const line of lines) await act(socket, line, tokens);
      await stopped;
    });
  }
});
