// One durable update after the other, as a server does that commits each call by itself.
//   FILE    where to make the database
import { DatabaseSync } from 'node:sqlite';
import { answerRounds } from '../processes.ts';

const db = new DatabaseSync(process.env.FILE ?? ':memory:');
db.exec('pragma journal_mode = wal; pragma synchronous = full');
db.exec('create table users (id text primary key not null, nickname text not null) strict');
for (let id = 0; id < 64; id++) db.prepare('insert into users values (?, ?)').run(String(id), '');
const update = db.prepare('update users set nickname = ? where id = ?');

const BATCH = 64;
let count = 0;

answerRounds(async () => {
  for (let i = 0; i < BATCH; i++) update.run(`nick ${count++}`, String(i));
  return BATCH;
});
