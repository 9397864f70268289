import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { TestDatabase } from './databases.ts';
import { settingsOf } from './processes.ts';

/** A server in a process of its own, which ends with the test. */
export interface Server {
  readonly child: ChildProcessWithoutNullStreams;
  /** Its address, once it serves. */
  readonly serving: Promise<string>;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; errors: string }>;
  /** Waits for a line of the log. */
  logged(message: string): Promise<{ url: string }>;
  /** The messages of the log so far. */
  messages(): string[];
}

export async function startServer(
  t: TestContext,
  database: TestDatabase,
  settings: Record<string, string> = {},
): Promise<Server> {
  return start(t, settingsOf(await database.create(t), settings));
}

/** Starts it with only these settings. */
export function start(t: TestContext, settings: Record<string, string>): Server {
  const child = spawn(process.execPath, ['src/main.ts'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { PATH: process.env.PATH, ...settings },
  });
  const errors = text(child.stderr);
  const ended = once(child, 'close').then(async ([code, signal]) => ({ code, signal, errors: await errors }));
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const lines: { msg: string; url: string }[] = [];
  const waiting = new Set<() => void>();
  createInterface(child.stdout).on('line', (line) => {
    lines.push(JSON.parse(line));
    for (const look of waiting) look();
  });

  function logged(message: string): Promise<{ url: string }> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = lines.find(({ msg }) => msg === message);
        if (!found) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
      ended.then(
        ({ errors }) => reject(new Error(`it ended without saying "${message}": ${errors}`)),
        reject,
      );
    });
  }

  const serving = logged('serving').then(({ url }) => url);
  serving.catch(() => {}); // some tests expect a start that fails
  return { child, serving, ended, logged, messages: () => lines.map(({ msg }) => msg) };
}
