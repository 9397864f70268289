import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand } from '../../test/commands.ts';
import { onPostgres } from '../../test/databases.ts';
import { connectPostgres, identifier } from '../../test/postgres-client.ts';
import { databaseUrl } from '../../test/postgres-cluster.ts';
import { settingsOf } from '../../test/processes.ts';
import { readIssuer } from '../accounts/tokens.ts';
import type { SchemaDb } from '../db/db.ts';
import { openPostgres } from '../db/postgres/postgres.ts';
import { readInstallation } from './installation.ts';

onPostgres('the installation of a node', (database) => {
  /** Reads it as a node does. @returns also the warnings */
  async function read(db: SchemaDb) {
    const lines: string[] = [];
    const log = { warn: (_fields: object, text = '') => void lines.push(text) };
    return { ...(await readInstallation(db, log)), lines };
  }

  test('has one secret key, also for nodes that start together', async (t) => {
    const db = await database.open(t);
    const all = await Promise.all([read(db), read(db), read(db)]);
    for (const { key } of [...all, await read(db)]) assert.deepEqual(key, all[0].key);
    assert.equal(all[0].key.length, 32);
    const other = await read(await database.open(t));
    assert.notDeepEqual(other.key, all[0].key);
  });

  test('keeps its key when tokens are revoked, as running nodes do, and has another one after its row was deleted', async (t) => {
    const settings = await database.create(t);
    assert.ok('databaseUrl' in settings);
    const { databaseUrl: url } = settings;
    const { key } = await openAndRead(url);
    assert.equal((await runCommand(settingsOf(settings), ['keys', 'rotate', 'jwt', '--revoke'])).code, 0);
    assert.deepEqual((await openAndRead(url)).key, key);
    await using sql = await connectPostgres(url);
    await sql.rows("delete from service where name = 'node-key'");
    assert.notDeepEqual((await openAndRead(url)).key, key);
  });

  test('is named by the database: a copy has the same key and another name', async (t) => {
    const settings = await database.create(t);
    assert.ok('databaseUrl' in settings);
    const { databaseUrl: url } = settings;
    const original = await openAndRead(url);
    await using sql = await connectPostgres(databaseUrl(url, 'postgres'));
    const name = `${new URL(url).pathname.slice(1)}_copy`;
    await sql.rows(
      `create database ${identifier(name)} template ${identifier(new URL(url).pathname.slice(1))}`,
    );
    t.after(async () => {
      await using admin = await connectPostgres(databaseUrl(url, 'postgres'));
      await admin.rows(`drop database ${identifier(name)} with (force)`);
    });
    const copy = await openAndRead(databaseUrl(url, name));
    assert.deepEqual([copy.key, copy.issuer], [original.key, original.issuer]);
    assert.notEqual(copy.name, original.name);
    const [{ system_identifier: system } = { system_identifier: '' }] = await sql.rows<{
      system_identifier: string;
    }>('select system_identifier from pg_control_system()');
    for (const { name, issuer, lines } of [original, copy]) {
      assert.match(name, new RegExp(`^${issuer}:${system}\\.\\d+$`));
      assert.deepEqual(lines, []);
    }
  });

  test('is named by the oid alone, with a warning, where PostgreSQL refuses to say its cluster', async (t) => {
    const settings = await database.create(t);
    assert.ok('databaseUrl' in settings);
    await using sql = await connectPostgres(settings.databaseUrl);
    const role = `plain_${crypto.randomUUID().slice(0, 8)}`;
    await sql.rows(`create role ${role} login`);
    await sql.rows(`grant select, insert on service to ${role}`);
    const url = new URL(settings.databaseUrl);
    url.username = role;
    const allowed = await openAndRead(url.href);
    assert.deepEqual(allowed.lines, [], 'any role may ask by default');
    await sql.rows('revoke execute on function pg_control_system() from public');
    const refused = await openAndRead(url.href);
    assert.equal(refused.name, allowed.name.replace(/:\d+\./, ':unknown.'));
    assert.equal(refused.lines.length, 1);
    await sql.rows(`drop owned by ${role}`);
    await sql.rows(`drop role ${role}`);
  });

  async function openAndRead(url: string) {
    await using db = await openPostgres({ url });
    return { ...(await read(db)), issuer: await readIssuer(db) };
  }
});
