import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { explainStart } from '../../src/start-errors.ts';
import { launchServer } from '../processes.ts';

/** A folder that is removed after the test, and what the server prints when it starts there. */
async function tryStart(
  t: TestContext,
  prepare: (folder: string) => Promise<unknown> | unknown,
  settings: Record<string, string> = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'doorman-start-'));
  t.after(() => rm(folder, { recursive: true }));
  await prepare(folder);
  const env = { DATA_DIR: folder, PORT: '0', BCRYPT_COST: '4', ...settings };
  if (settings.DATA_DIR !== undefined) env.DATA_DIR = join(folder, settings.DATA_DIR);
  await using server = launchServer(env);
  const { code, errors } = await server.ended;
  return { code, said: errors.replaceAll(folder, 'FOLDER') };
}

function assertSaid({ code, said }: { code: number | null; said: string }, line: string): void {
  assert.deepEqual([code, said], [1, `Doorman could not start: ${line}\n`]);
}

describe('a start that cannot succeed reports in one line what is at fault and what to do', {
  concurrency: true,
}, () => {
  test('DATA_DIR is a file, or lies below one', async (t) => {
    const makeFile = (folder: string) => writeFile(join(folder, 'data'), '');
    for (const DATA_DIR of ['data', 'data/deeper'])
      assertSaid(
        await tryStart(t, makeFile, { DATA_DIR }),
        `FOLDER/${DATA_DIR} cannot be a folder, as there is a file in its way: set DATA_DIR to a folder.`,
      );
  });

  test('a missing parent of DATA_DIR is made', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'doorman-start-'));
    t.after(() => rm(folder, { recursive: true }));
    await using server = launchServer({ DATA_DIR: join(folder, 'a', 'b'), PORT: '0' });
    await server.serving;
  });

  test('a file that is not a database', async (t) => {
    for (const name of ['doorman.db', 'server.lock'])
      assertSaid(
        await tryStart(t, (folder) => writeFile(join(folder, name), 'x'.repeat(8192))),
        `FOLDER/${name} is no SQLite database, or is damaged: put back a backup, or set another DATA_DIR.`,
      );
  });

  test('a file that cannot be opened', async (t) => {
    for (const name of ['doorman.db', 'server.lock'])
      assertSaid(
        await tryStart(t, (folder) => mkdir(join(folder, name))),
        `FOLDER/${name} cannot be opened for writing: allow this user to write it and its folder, on a file system that is not read-only, or set another DATA_DIR.`,
      );
  });

  test('a database that another program keeps locked', async (t) => {
    let other: DatabaseSync | undefined;
    t.after(() => other?.close());
    const said = await tryStart(t, (folder) => {
      other = new DatabaseSync(join(folder, 'doorman.db'));
      other.exec('begin exclusive');
    });
    assertSaid(
      said,
      'FOLDER/doorman.db is locked by another program: end what uses it, or set another DATA_DIR.',
    );
  });

  test('a HOST that is not of this machine', async (t) => {
    assertSaid(
      await tryStart(t, () => {}, { HOST: '192.0.2.1' }),
      '192.0.2.1 is no address of this machine: set HOST to one of its addresses, or to 0.0.0.0 or :: for all.',
    );
  });

  test('a folder in which this user may not write', {
    skip: process.getuid?.() === 0 && 'root may write in every folder',
  }, async (t) => {
    assertSaid(
      await tryStart(t, (folder) => chmod(folder, 0o500)),
      'FOLDER/server.lock cannot be used: allow this user to write in FOLDER, or set another DATA_DIR.',
    );
  });
});

test('system errors that cannot be produced everywhere are explained too', () => {
  const config = readConfig({ HOST: 'chat.invalid', PORT: '80', DATA_DIR: '/data/doorman' });
  const said = (code: string, syscall: string, path?: string) =>
    explainStart(Object.assign(new Error(code), { code, syscall, ...(path && { path }) }), config);
  assert.equal(
    said('EACCES', 'listen'),
    'This user may not listen on port 80 of chat.invalid: set a PORT from 1024 on, or allow the process low ports.',
  );
  assert.equal(
    said('ENOTFOUND', 'getaddrinfo'),
    'The host name chat.invalid cannot be resolved: set HOST to an address of this machine, or to 0.0.0.0 or :: for all.',
  );
  assert.equal(
    said('EACCES', 'mkdir', '/data/doorman'),
    '/data/doorman cannot be used: allow this user to write in /data, or set another DATA_DIR.',
  );
  assert.equal(
    said('EROFS', 'mkdir', '/data/doorman'),
    '/data/doorman is on a read-only file system: mount it writable, or set another DATA_DIR.',
  );
  assert.equal(
    said('ENOENT', 'mkdir', '/data/doorman'),
    '/data/doorman cannot be made: make its parent folder, or set another DATA_DIR.',
  );
});
