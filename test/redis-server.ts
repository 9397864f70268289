import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { endGuarded, findFreePort, startGuarded } from './guarded-server.ts';
import { makeTemporaryFolder, removeFolder } from './temporary-folders.ts';

export interface RedisServer extends AsyncDisposable {
  readonly url: string;
  /** Of the process that serves. */
  pid(): Promise<number>;
  /** Ends the server at once, as `kill -9` would; starts it again, empty, at the same address after `meanwhile`. */
  restart(meanwhile?: () => Promise<unknown>): Promise<void>;
  /** Runs one command without spaces in its words, such as `FLUSHALL`. @returns the first line of the answer */
  command(words: string): Promise<string>;
}

/** The path of the installed Redis or Valkey; `undefined` if there is none. */
export function findRedis(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin'];
  return ['redis-server', 'valkey-server']
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => existsSync(path));
}

/**
 * Starts a Redis server of our own on a free loopback port, which stores nothing on a disk. It touches no server that runs
 * already, and ends with this process, however this process ends.
 */
export async function startRedis(): Promise<RedisServer> {
  const program = findRedis();
  if (!program) throw new Error('no Redis found');
  const folder = await makeTemporaryFolder('redis');
  const port = await findFreePort();
  const pidFile = join(folder, 'pid');
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const command = [program, ...options, '--daemonize', 'no', '--pidfile', pidFile];
  const start = () => startGuarded(command, { folder, endBy: 'KILL', answers: () => answers(port) });
  let server = await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    pid: async () => Number(await readFile(pidFile, 'utf8')),
    async restart(meanwhile = async () => {}) {
      await endGuarded(server);
      try {
        await meanwhile();
      } finally {
        server = await start();
      }
    },
    command: (words) => send(port, words),
    async [Symbol.asyncDispose]() {
      await endGuarded(server);
      await removeFolder(folder);
    },
  };
}

async function answers(port: number): Promise<boolean> {
  try {
    return (await send(port, 'PING')) === '+PONG';
  } catch {
    return false;
  }
}

/** Sends one inline command of the Redis protocol over a connection of its own. @returns the first line of the answer */
async function send(port: number, words: string): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  socket.write(`${words}\r\n`);
  let text = '';
  for await (const piece of socket) {
    text += piece;
    if (text.includes('\r\n')) break; // which destroys the socket
  }
  return text.split('\r\n', 1)[0] ?? '';
}
