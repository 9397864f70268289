import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pino } from 'pino';
import { newId } from '../src/db/ids.ts';
import { migrate } from '../src/db/migrate.ts';
import { openSqlite } from '../src/db/sqlite/sqlite.ts';
import { nameKeys } from '../src/users/name-keys.ts';
import { call, type ServerProcess } from './processes.ts';

/** The password of every user who signs up here. */
export const PASSWORD = 'correct horse battery';

export interface User {
  readonly id: string;
  readonly username: string;
}

/** A username with seven digits, so that a search without the last digit finds ten. */
export function usernameOf(number: number): string {
  return `user${String(number).padStart(7, '0')}`;
}

/**
 * Inserts users into a new database in `folder`, a million in less than a minute. No password matches them.
 *
 * @returns some 1,000 of them, evenly spread
 */
export async function fillDatabase(folder: string, count: number): Promise<User[]> {
  const db = await openSqlite({ folder, log: pino({ level: 'silent' }) });
  await migrate(db);
  await db[Symbol.asyncDispose]();

  using file = new DatabaseSync(join(folder, 'doorman.db'));
  file.exec('pragma synchronous = off');
  const insert = file.prepare(`
    insert into users (id, username, username_key, password_hash, nickname, nickname_key, keyed_names, avatar, gender, bio, phone, created_at)
    values (?, ?, ?, '!', ?, ?, ?, ?, ?, ?, ?, ?)`);
  const insertKey = file.prepare('insert into name_keys (key, user_id) values (?, ?)');
  const step = Math.max(1, Math.floor(count / 1000));
  const some: User[] = [];
  const now = Date.now() - count;
  file.exec('begin');
  for (let i = 0; i < count; i++) {
    const id = newId(now + i);
    const username = usernameOf(i);
    const nickname = `Nick ${i} 张`;
    const names = `${username}\n${nickname}`;
    insert.run(
      id,
      username,
      username,
      nickname,
      nickname.toLowerCase(),
      names,
      `https://example.com/${i}.png`,
      i % 2 ? 'male' : 'female',
      `I am number ${i} here.`,
      '13800138000',
      now + i,
    );
    for (const key of nameKeys(names)) insertKey.run(key, id);
    if (i % step === 0) some.push({ id, username });
  }
  file.exec('insert into inbox_heads (user_id) select id from users');
  file.exec('commit');
  file.exec('pragma wal_checkpoint(truncate)');
  return some;
}

/** Registers a user over HTTP. */
export async function signUp(server: ServerProcess, username: string): Promise<User & { token: string }> {
  const { data } = await call(server, 'POST', '/api/register', { body: { username, password: PASSWORD } });
  return { id: data.id, username, token: data.token };
}
