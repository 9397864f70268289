import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type Ended, withoutLog } from './commands.ts';
import { type DatabaseSettings, databaseEnv } from './databases.ts';
import type { Body } from './harness.ts';

/** Environment variables. */
type Settings = Record<string, string>;

/** The settings of a process in tests: this database, no limits, cheap hashes, any port. */
export function settingsOf(database: DatabaseSettings, settings: Settings = {}): Settings {
  return {
    ...databaseEnv(database),
    PORT: '0',
    BCRYPT_COST: '4',
    RATE_LIMIT_API: 'off',
    RATE_LIMIT_AUTH: 'off',
    ...settings,
  };
}

export interface Running extends AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
}

/** Starts a command of the operator as `npm run doorman` does. Disposing of it kills the process. */
export function startCommand(settings: Settings, words: string[]): Running {
  const child = start('src/cli.ts', words, settings);
  // A process that ends before it has read everything closes its input.
  child.stdin.on('error', () => {});
  const [output, errors] = [text(child.stdout), text(child.stderr)];
  const ended = once(child, 'close').then(async ([code]) => ({
    code,
    output: await output,
    errors: withoutLog(await errors),
  }));
  return { child, ended, [Symbol.asyncDispose]: () => kill(child) };
}

/** A server in a process of its own that may not serve yet. Disposing of it kills it. */
export interface LaunchedServer extends AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams;
  /** Its address, once it serves. */
  readonly serving: Promise<string>;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; errors: string }>;
  /** What it logged so far, a line each. */
  readonly lines: readonly string[];
  /** The messages of these lines. */
  messages(): string[];
  /** Waits for a line of the log with this message; fails when the process ends without one. */
  logged(message: string | RegExp): Promise<Body>;
}

/** Calls over HTTP, with bodies parsed. */
export interface Caller {
  readonly url: string;
  get(path: string, token?: string): Promise<{ status: number; body: Body }>;
  post(path: string, body: unknown, token?: string): Promise<{ status: number; body: Body }>;
}

export interface ServerProcess extends LaunchedServer, Caller {
  /** Kills it, which is as close to a power cut as a process can get. */
  kill(): Promise<void>;
}

/**
 * Starts the server without waiting for anything.
 *
 * @param within a command that runs the program, such as `unshare`
 * @param program another one that runs the server, with its arguments
 */
export function launchServer(
  settings: Settings,
  within: readonly string[] = [],
  [file, ...words]: readonly [string, ...string[]] = ['src/main.ts'],
): LaunchedServer {
  const child = start(file, words, settings, within);
  const errors = text(child.stderr);
  const ended = once(child, 'close').then(async ([code, signal]) => ({ code, signal, errors: await errors }));
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  createInterface(child.stdout).on('line', (line) => {
    lines.push(line);
    for (const check of waiting) check();
  });

  function logged(message: string | RegExp): Promise<Body> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const found = lines
          .map((line) => JSON.parse(line))
          .find(({ msg }) => (typeof message === 'string' ? msg === message : message.test(msg)));
        if (!found) return;
        waiting.delete(check);
        resolve(found);
      };
      waiting.add(check);
      check();
      ended.then(
        ({ errors }) =>
          reject(new Error(`the server ended without "${message}":\n${lines.join('\n')}\n${errors}`)),
        reject,
      );
    });
  }

  const serving = logged('serving').then(({ url }) => url);
  serving.catch(() => {}); // some tests expect a start that fails
  const messages = () => lines.map((line): string => JSON.parse(line).msg);
  return { child, serving, ended, lines, messages, logged, [Symbol.asyncDispose]: () => kill(child) };
}

/** Starts the server in a process of its own, and waits until it serves. */
export async function startServer(...options: Parameters<typeof launchServer>): Promise<ServerProcess> {
  const launched = launchServer(...options);
  return { ...launched, ...callerOf(await launched.serving), kill: () => kill(launched.child) };
}

export function callerOf(url: string): Caller {
  async function call(path: string, token: string | undefined, request: RequestInit) {
    const headers = {
      ...(request.body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const response = await fetch(url + path, { ...request, headers });
    return { status: response.status, body: await response.json() };
  }

  return {
    url,
    get: (path, token) => call(path, token, {}),
    post: (path, body, token) => call(path, token, { method: 'POST', body: JSON.stringify(body) }),
  };
}

function start(
  file: string,
  words: string[],
  settings: Settings,
  within: readonly string[] = [],
): ChildProcessWithoutNullStreams {
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const [program = process.execPath, ...args] = [...within, process.execPath, file, ...words];
  return spawn(program, args, { cwd, env: { PATH: process.env.PATH, ...settings } });
}

async function kill(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
