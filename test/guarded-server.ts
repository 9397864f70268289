import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { createServer, Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const START_MS = 30_000;

/** Ends the server when the input closes, which it does when this process ends. Backquotes and such never occur. */
const guard =
  'signal=$1; shift; "$@" & server=$!; exec 3<&0; (cat <&3 >/dev/null; kill -$signal $server) & wait $server';

/**
 * Starts a server program that ends with this process, however this process ends, and waits until it answers.
 *
 * @param options.folder its working folder, which gets the file `log`
 * @param options.endBy the signal that ends it at once
 * @throws if it ends or does not answer within 30 s, with its log
 */
export async function startGuarded(
  command: readonly string[],
  {
    folder,
    endBy,
    owner,
    answers,
  }: {
    folder: string;
    endBy: 'QUIT' | 'KILL';
    owner?: Pick<SpawnOptions, 'uid' | 'gid'> | undefined;
    answers: () => Promise<boolean>;
  },
): Promise<ChildProcess> {
  await using log = await open(join(folder, 'log'), 'a');
  const server = spawn('/bin/sh', ['-c', guard, 'sh', endBy, ...command], {
    ...owner,
    cwd: folder,
    stdio: ['pipe', log.fd, log.fd],
  });
  // This process does not wait for the server: the server ends with this process.
  server.unref();
  if (server.stdin instanceof Socket) server.stdin.unref();

  const givesUpAt = Date.now() + START_MS;
  while (!(await answers())) {
    if (server.exitCode !== null || Date.now() > givesUpAt) {
      server.stdin?.end();
      const lines = await readFile(join(folder, 'log'), 'utf8');
      throw new Error(`${command[0]} did not start:\n${lines}`);
    }
    await delay(50);
  }
  return server;
}

/** Ends a server of `startGuarded`, and waits for its end. */
export async function endGuarded(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  server.ref();
  const ended = once(server, 'exit');
  server.stdin?.end();
  await ended;
}

export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no free port');
  server.close();
  await once(server, 'close');
  return address.port;
}
