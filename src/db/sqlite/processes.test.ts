import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { onSqlite } from '../../../test/databases.ts';
import { findSmallDisk } from '../../../test/small-disk.ts';
import { lockFolder } from './server-lock.ts';
import { openSqlite } from './sqlite.ts';

const urlOf = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);

/** The arguments of another process, which runs `body` with `folder` and `db`. */
function program(body: string): string[] {
  const code = `
    import { openSqlite } from ${urlOf('./sqlite.ts')};
    import { migrate } from ${urlOf('../migrate.ts')};
    import { lockFolder } from ${urlOf('./server-lock.ts')};
    const folder = process.env.FOLDER;
    const db = await openSqlite({ folder });
    ${body}`;
  return ['--input-type=module', '-e', code];
}

async function start(t: TestContext, folder: string, body: string) {
  const child: ChildProcess = spawn(process.execPath, program(body), {
    env: { ...process.env, FOLDER: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  t.after(kill);
  assert.ok(child.stdout);
  return { kill, lines: createInterface(child.stdout) };
}

onSqlite('processes on one folder', (database) => {
  async function openFolder(t: TestContext): Promise<string> {
    const settings = await database.create(t);
    assert.ok('dataDir' in settings);
    return settings.dataDir;
  }

  test('a command writes beside the server, and each sees what the other wrote', async (t) => {
    const folder = await openFolder(t);
    await using db = await openSqlite({ folder });
    await db.run`insert into service (name, value) values ('server', '1')`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      program(`
        console.log(JSON.stringify(await db.all\`select name from service\`));
        await db.run\`insert into service (name, value) values ('command', '2')\`;
        await db[Symbol.asyncDispose]();`),
      { env: { ...process.env, FOLDER: folder } },
    );
    assert.deepEqual(JSON.parse(stdout), [{ name: 'server' }]);
    assert.deepEqual(await db.all`select name from service order by name`, [
      { name: 'command' },
      { name: 'server' },
    ]);
  });

  test('all committed writes survive kill -9', async (t) => {
    const folder = await openFolder(t);
    const { kill, lines } = await start(
      t,
      folder,
      `for (let sender = 0; sender < 8; sender++) (async () => {
        for (let n = 0; ; n++) {
          const name = sender + '/' + n;
          await db.transaction(async (tx) => {
            await tx.run\`insert into service (name, value) values (\${name}, 'half')\`;
            await tx.run\`update service set value = 'whole' where name = \${name}\`;
          });
          console.log(name);
        }
      })();`,
    );
    const answered: string[] = [];
    for await (const line of lines) {
      answered.push(line);
      if (answered.length === 500) await kill();
    }
    assert.ok(answered.length >= 500);
    await using db = await openSqlite({ folder });
    const rows = await db.all<{ name: string; value: string }>`select name, value from service`;
    const values = new Map(rows.map((row) => [row.name, row.value]));
    for (const name of answered) assert.equal(values.get(name), 'whole', name);
    assert.ok(rows.every((row) => row.value === 'whole'));
  });

  test('a second server on a folder is refused until the first has ended, also by kill -9', async (t) => {
    const folder = await openFolder(t);
    const first = await start(
      t,
      folder,
      "lockFolder(folder); console.log('locked'); setInterval(() => {}, 1e6);",
    );
    await once(first.lines, 'line');
    assert.throws(() => lockFolder(folder), {
      message: `Another Doorman server is running on ${folder}: stop it, or set another DATA_DIR.`,
    });
    await first.kill();
    const lock = lockFolder(folder);
    assert.throws(() => lockFolder(folder), /Another Doorman server is running/);
    await lock[Symbol.asyncDispose]();
    await lockFolder(folder)[Symbol.asyncDispose]();
  });

  test('writes go on after the log was moved away, until the files are back', async (t) => {
    const folder = await openFolder(t);
    const log = join(folder, 'doorman.db-wal');
    await using db = await openSqlite({ folder });
    const write = (name: string) => db.run`insert into service (name, value) values (${name}, '')`;
    await db.transaction((tx) => tx.all`select name from service`);
    renameSync(log, `${log}.moved`);
    // The size of the log is looked at ten times a second at most.
    await delay(150);
    for (const name of ['a', 'b']) await write(name);
    renameSync(`${log}.moved`, log);
    await write('c');
    assert.deepEqual(await db.get`select count(*) as n from service`, { n: 3 });
  });

  const smallDisk = findSmallDisk();
  test('on a full disk writes fail, reads go on, and it recovers by itself', {
    skip: smallDisk.skip,
  }, async () => {
    const body = `
      import { writeFileSync, rmSync } from 'node:fs';
      import assert from 'node:assert/strict';
      await migrate(db);
      const write = (name) => db.run\`insert into service (name, value) values (\${name}, \${'x'.repeat(20_000)})\`;
      writeFileSync(folder + '/filler', new Uint8Array(3_000_000));
      let written = 0;
      let failure;
      while (!failure) await write('n' + written).then(() => written++, (error) => { failure = error; });
      assert.match(String(failure), /full/);
      await assert.rejects(db.checkHealth(), /does not take writes/);
      assert.deepEqual(await db.get\`select count(*) as n from service\`, { n: written });
      const together = await Promise.allSettled([write('a'), write('b'), write('c')]);
      assert.ok(together.every((one) => one.status === 'rejected'));
      assert.deepEqual(await db.get\`select count(*) as n from service\`, { n: written });
      rmSync(folder + '/filler');
      while (await db.checkHealth().then(() => false, () => true)) await new Promise((resolve) => setTimeout(resolve, 10));
      assert.deepEqual(await db.get\`select count(*) as n from service\`, { n: written });
      await Promise.all([write('a'), write('b'), write('c')]);
      assert.deepEqual(await db.get\`select count(*) as n from service\`, { n: written + 3 });
      await db[Symbol.asyncDispose]();
      console.log('recovered after', written);`;
    const shell = 'mount -t tmpfs -o size=8m none "$FOLDER" && exec "$@"';
    const { stdout } = await promisify(execFile)(
      'unshare',
      [...smallDisk.args, 'sh', '-c', shell, 'sh', process.execPath, ...program(body)],
      { env: { ...process.env, FOLDER: '/mnt' } },
    );
    assert.match(stdout, /^recovered after [1-9]/);
  });
});
