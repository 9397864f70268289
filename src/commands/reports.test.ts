import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand } from '../../test/commands.ts';
import { type DatabaseSettings, databaseEnv, onEachDeployment } from '../../test/databases.ts';
import { startSockets } from '../../test/sockets.ts';

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/;

onEachDeployment('reports', (database) => {
  test('the operator lists, reads and decides; the reporter learns it on every node, once', async (t) => {
    let env: Record<string, string> = {};
    const service = await startSockets(t, database, {
      env: (_node, settings: DatabaseSettings) => {
        env = databaseEnv(settings);
        return {};
      },
    });
    const [alice, bob] = [await service.join('alice'), await service.join('bob')];
    const file = async (body: object) => {
      const answer = await service.post('/api/report', { userId: bob.id, ...body }, { token: alice.token });
      return String(answer.body.data.id);
    };
    await service.post(
      '/api/messages',
      { to: alice.id, cid: '1', body: '\u001b[2J\u202e' },
      { token: bob.token },
    );
    const spam = await file({ reason: 'spam', text: '\u001b[31mred\u2066', messages: [1] });
    const abuse = await file({ reason: 'abuse' });
    const run = (...words: string[]) => runCommand(env, words);

    const lines = (output: string) =>
      output.split('\n').map((line) => line.replace(TIME, 'TIME').replaceAll(/ {2,}/g, ', '));
    assert.deepEqual(lines((await run('reports')).output), [
      `${spam}, TIME, open, spam, messages: 1, bob, from alice`,
      `${abuse}, TIME, open, abuse, messages: 0, bob, from alice`,
      '',
    ]);
    const shown = (await run('report', spam)).output;
    const controls = [...shown].filter((one) => /[^\P{Cc}\n]|\p{Bidi_Control}/u.test(one));
    assert.deepEqual(controls, []);
    const { text, messages, reporter, reporter_id: reporterId } = JSON.parse(shown);
    assert.deepEqual([text, messages[0].body], ['\u001b[31mred\u2066', '\u001b[2J\u202e']);
    assert.deepEqual([reporterId, reporter], [alice.id, 'alice']);

    // Nothing of these is a decision.
    const act = (...words: string[]) => run('report', spam, ...words);
    const notes = ['--note', 'x'];
    for (const [words, error] of [
      [['--act', 'ban', ...notes], '--act must be dismiss or suspend'],
      [['--act', 'suspend'], '--note must say why'],
      [['--act', 'dismiss', '--note', ''], '--note must say why'],
      [['--act', 'dismiss', '--note', 'x'.repeat(501)], '--note may have 500 characters'],
      [
        ['--act', 'dismiss', ...notes, '--until', '2126-01-31T18:00:00Z'],
        '--until is for --act suspend alone',
      ],
      [['--act', 'suspend', ...notes, '--until', '2020-01-31T18:00:00Z'], '--until must be a time to come'],
      [notes, 'Usage: '],
      [['--until', '2126-01-31T18:00:00Z'], 'Usage: '],
    ] as const) {
      const { code, output, errors } = await act(...words);
      assert.deepEqual([code, output, errors.startsWith(error)], [2, '', true], `${words} ${errors}`);
    }
    assert.deepEqual((await run('report')).code, 2);
    const unknown = await run('report', 'nothing', '--act', 'dismiss', ...notes);
    assert.deepEqual(
      [unknown.code, unknown.errors],
      [1, 'there is no report with the id "nothing": reports shows the ids\n'],
    );
    assert.equal(lines((await run('reports', '--open')).output).length, 3);

    const socket = await service.enter(alice);
    const received: object[] = [];
    const receive = async () => received.push((await socket.first((frame) => frame.event === 'report')).data);
    assert.equal(
      (await run('report', abuse, '--act', 'dismiss', '--note', 'no')).output,
      `report ${abuse}: dismissed\n`,
    );
    await receive();
    const twice = await Promise.all([
      act('--act', 'suspend', '--note', 'Spam', '--until', '2126-01-31T18:00:00Z'),
      act('--act', 'suspend', '--note', 'Spam', '--until', '2126-01-31T18:00:00Z'),
    ]);
    const [done, late] = twice.sort((a, b) => Number(a.code) - Number(b.code));
    assert.equal(done?.output, `report ${spam}: suspended bob (${bob.id}) until 2126-01-31T18:00:00.000Z\n`);
    assert.deepEqual(
      [late?.code, late?.errors],
      [1, `report ${spam} was decided on before: report ${spam} shows how\n`],
    );
    await receive();
    assert.deepEqual(received, [
      { id: abuse, act: 'dismiss' },
      { id: spam, act: 'suspend' },
    ]);
    const { body } = await service.post('/api/login', { username: 'bob', password: bob.password });
    assert.deepEqual([body.error, body.reason], ['account_suspended', 'Spam']);
    assert.equal((await run('reports', '--open')).output, '');
    assert.match((await run('reports')).output, /suspend .*\n.* dismiss /);
    const { note, act: stored } = JSON.parse((await run('report', spam)).output);
    assert.deepEqual([note, stored], ['Spam', 'suspend']);

    // A suspension that ends later, or not at all, keeps its end.
    for (const [until, end] of [
      ['2126-01-01T00:00:00Z', '2126-01-31T18:00:00.000Z'],
      ['2126-03-01T00:00:00Z', '2126-03-01T00:00:00.000Z'],
      [undefined, undefined],
      ['2126-01-01T00:00:00Z', undefined],
    ] as const) {
      const id = await file({ reason: 'other' });
      const words = ['--act', 'suspend', '--note', 'Again', ...(until ? ['--until', until] : [])];
      const { output } = await run('report', id, ...words);
      assert.equal(output, `report ${id}: suspended bob (${bob.id})${end ? ` until ${end}` : ''}\n`);
      const { body: refusal } = await service.post('/api/login', { username: 'bob', password: bob.password });
      assert.deepEqual([refusal.reason, refusal.until], ['Again', end ? Date.parse(end) : 0]);
    }
    await service.services.db.run`delete from suspensions`; // as of an account that was imported suspended
    const last = await file({ reason: 'other' });
    const ending = ['--act', 'suspend', '--note', 'Again', '--until', '2126-01-01T00:00:00Z'];
    assert.equal(
      (await run('report', last, ...ending)).output,
      `report ${last}: suspended bob (${bob.id})\n`,
      'nothing was said of the suspension',
    );

    await service.services.db.run`
      insert into reports (id, reporter_id, reported_id, reason, at)
      select 'x' || id || n, id, id, 'spam', n from users
      cross join (select 1 as n union select 2 union select 3 union select 4 union select 5 union select 6 union select 7
        union select 8 union select 9 union select 10 union select 11) as numbers`;
    assert.equal((await run('reports', '--open')).output.trim().split('\n').length, 22, 'more than a page');

    assert.equal((await run('user', 'delete', 'alice')).code, 0);
    assert.match((await run('reports')).output, /from a deleted user\n/);
  });
});
